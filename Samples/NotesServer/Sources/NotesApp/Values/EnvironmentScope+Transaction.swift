package import ScopedInjection

extension EnvironmentScope {
    /// Commits what was written in the request of which this is the scope, if anything was.
    package func commitTransaction() async throws {
        try await localValue(for: \.transaction)?.commit()
    }
}
