import ScopedInjection

extension ScopeValues {
    static var pool: ScopeValue<Pool> {
        .lazy { reader in
            // error: cannot assign through dynamic lookup property: 'databasePath' is a get-only property
            reader.databasePath = "other.db"
            return Pool()
        }
    }
}
