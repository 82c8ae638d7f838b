import AsyncHTTPClient
package import ScopedInjection

extension EnvironmentScope {
    /// Makes this scope that of a live server: everything that is not a setting with a default is decided here.
    ///
    /// Nothing is built yet. What is expensive is provided, built by who needs it first, and closed with the scope that keeps
    /// it: the client with the application's scope, each database with its tenant's.
    ///
    /// - Parameters:
    ///   - options: the options of the command line, see ``liveConfiguration(options:environment:)``
    ///   - environment: the environment variables
    package func provideApplication(options: [String: String], environment: [String: String]) {
        // First, so that the log tells of what is provided twice.
        reportEvents()
        provideSettings { try Settings(liveConfiguration(options: options, environment: environment)) }
        self.backgroundWork = BackgroundWork()
        provide(\.database) { reader in
            let database = try NotesDatabase(path: "\(reader.databaseFolder)/\(reader.tenant).db")
            reader.onClose { try database.close() }
            return database
        }
        provide(\.httpClient) { reader in
            let client = HTTPClient(eventLoopGroupProvider: .singleton)
            reader.onClose { try await client.shutdown() }
            return client
        }
    }
}
