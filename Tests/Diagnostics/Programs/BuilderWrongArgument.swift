import ScopedInjection

extension ScopeValues {
    static let pool = ScopeValue<Pool>(.scoped) { scope in
        // error: cannot convert value of type 'Int' to expected argument type 'String'
        Pool(scope.port)
    }
}
