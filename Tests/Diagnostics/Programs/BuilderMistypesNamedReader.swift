import ScopedInjection

extension ScopeValues {
    static var pool: ScopeValue<Pool> {
        .lazy { reader in
            // error: value of type 'ScopeReader' has no dynamic member 'databasePth' using key path from root type 'ScopeValues'
            let path = try reader.databasePth
            return Pool(path)
        }
    }
}
