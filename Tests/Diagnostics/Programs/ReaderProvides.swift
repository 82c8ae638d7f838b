import ScopedInjection

extension ScopeValues {
    static var pool: ScopeValue<Pool> {
        .lazy { reader in
            // error: value of type 'ScopeReader' has no dynamic member 'provide' using key path from root type 'ScopeValues'
            reader.provide(\.port) { _ in 1 }
            return Pool()
        }
    }
}
