import ScopedInjection

extension ScopeValues {
    static var pool: ScopeValue<Pool> {
        .lazy { reader in
            // error: cannot convert value of type 'ScopeReader' to expected argument type 'EnvironmentScope'
            let scope = EnvironmentScope.empty("inner", parent: reader)
            return Pool(scope.databasePath)
        }
    }
}
