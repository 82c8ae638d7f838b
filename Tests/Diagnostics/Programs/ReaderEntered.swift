import ScopedInjection

extension ScopeValues {
    static var pool: ScopeValue<Pool> {
        .lazy { reader in
            // error: cannot call value of non-function type 'ScopeReader'
            reader { Pool() }
        }
    }
}
