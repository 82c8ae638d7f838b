import ScopedInjection

extension ScopeValues {
    static var path: ScopeValue<@Sendable () throws -> String> {
        .lazy { reader in
            // error: capture of 'reader' with non-Sendable type 'ScopeReader' in a '@Sendable' closure [#SendableClosureCaptures]
            let path: @Sendable () throws -> String = { try reader.databasePath }
            return path
        }
    }
}
