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
        scope.provide(DatabaseKey.self) { scope in
            let folder = try scope.value(for: DatabaseFolderKey.self)
            let database = try NotesDatabase(path: "\(folder)/\(scope.value(for: TenantKey.self)).db")
            scope.onClose { database.close() }
            return database
        }
        scope.provide(HTTPClientKey.self) { scope in
            let client = HTTPClient(eventLoopGroupProvider: .singleton)
            scope.onClose { try? await client.shutdown() }
            return client
        }
    }
}
