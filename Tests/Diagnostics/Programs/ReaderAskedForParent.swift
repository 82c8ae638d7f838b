import ScopedInjection

extension ScopeValues {
    static var pool: ScopeValue<Pool> {
        // error: value of type 'ScopeReader' has no dynamic member 'parent' using key path from root type 'ScopeValues'
        .lazy { try Pool($0.parent.databasePath) }
    }
}
