import ScopedInjection

extension ScopeValues {
    static let pool = ScopeValue<Deferred<Pool>> { scope in
        let path = scope.databasePath
        // error: type 'Pool' has no member 'conect'
        return Deferred { try await Pool.conect(path) }
    }
}
