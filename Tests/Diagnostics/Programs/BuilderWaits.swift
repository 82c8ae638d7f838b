import ScopedInjection

extension ScopeValues {
    // error: 'init(_:isSafeInTests:name:fileID:line:_:)' is unavailable: a builder cannot wait; let the value be a Deferred, whose closure can
    static let pool = ScopeValue<Pool> { scope in
        try await Pool.connect(scope.databasePath)
    }
}
