import ScopedInjection

extension ScopeValues {
    // error: 'init(_:isSafeInTests:name:fileID:line:_:)' is unavailable: a builder cannot wait; let the value be a Deferred, whose closure can
    static let pool = ScopeValue(.scoped) { scope in
        let path = scope.databasePath
        return try await Pool.connect(path)
    }
}
