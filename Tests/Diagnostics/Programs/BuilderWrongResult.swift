import ScopedInjection

extension ScopeValues {
    static let pool = ScopeValue<Pool> { scope in
        // error: cannot convert value of type 'String' to closure result type 'Pool'
        scope.databasePath
    }
}
