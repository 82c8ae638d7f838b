import ScopedInjection

extension ScopeValues {
    static var pool: ScopeValue<Pool> {
        .lazy { reader in
            // error: capture of 'reader' with non-Sendable type 'ScopeReader' in a '@Sendable' closure [#SendableClosureCaptures]
            reader.onClose { print(try reader.databasePath) }
            return Pool()
        }
    }
}
