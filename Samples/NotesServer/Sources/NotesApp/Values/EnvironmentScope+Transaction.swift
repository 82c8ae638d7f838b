package import ScopedInjection

extension EnvironmentScope {
    /// Gives this scope, and what lies below it, one transaction, which is begun by the first write in it.
    package func provideTransaction() {
        provide(\.transaction) { reader in
            let transaction = Transaction(on: try reader.database)
            reader.onClose { await transaction.rollBack() }
            return transaction
        }
    }

    /// Commits what was written in this scope, if anything was.
    package func commitTransaction() async throws {
        try await localValue(for: \.transaction)?.commit()
    }
}
