import AsyncHTTPClient
package import Configuration
package import ScopedInjection

/// The scope of a live server: everything that is not a setting with a default is decided here.
///
/// Nothing is built yet. What is expensive is provided, built by who needs it first, and closed with the scope that keeps
/// it: the client with the application's scope, each database with its tenant's.
package func makeApplicationScope(configuration: ConfigReader) -> EnvironmentScope {
    EnvironmentScope("application", parent: nil) { scope in
        scope.reportEvents()
        scope.configuration = configuration
        scope.backgroundWork = BackgroundWork()
        scope.provideTenants()
        scope.provide(\.database) { reader in
            let database = try NotesDatabase(path: "\(reader.databaseFolder)/\(reader.tenant).db")
            reader.onClose { database.close() }
            return database
        }
        scope.provide(\.httpClient) { reader in
            let client = HTTPClient(eventLoopGroupProvider: .singleton)
            reader.onClose { try await client.shutdown() }
            return client
        }
    }
}
