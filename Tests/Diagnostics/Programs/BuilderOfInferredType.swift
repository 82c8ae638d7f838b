import ScopedInjection

extension ScopeValues {
    static let pool = ScopeValue { scope in
        let pool = Pool(scope.databasePath)
        // error: value of type 'Pool' has no member 'paht'
        print(pool.paht)
        return pool
    }
}
