import ScopedInjection

extension ScopeValues {
    static var pool: ScopeValue<Deferred<Pool>> {
        // error: capture of 'reader' with non-Sendable type 'ScopeReader' in a '@Sendable' closure [#SendableClosureCaptures]
        .lazy { reader in Deferred { try Pool(reader.databasePath) } }
    }
}
