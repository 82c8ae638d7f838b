import ScopedInjection

extension ScopeValues {
    static let pool = ScopeValue<Pool> { scope in
        // error: type 'ScopeValues' has no member 'databasePth'
        Pool(scope.databasePth)
    }
}
