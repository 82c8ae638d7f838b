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
        scope.provide(\.database) { scope in
            let folder = try scope.value(for: \.databaseFolder)
            let database = try NotesDatabase(path: "\(folder)/\(scope.value(for: \.tenant)).db")
            scope.onClose { database.close() }
            return database
        }
        scope.provide(\.httpClient) { scope in
            let client = HTTPClient(eventLoopGroupProvider: .singleton)
            scope.onClose { try? await client.shutdown() }
            return client
        }
    }
}
