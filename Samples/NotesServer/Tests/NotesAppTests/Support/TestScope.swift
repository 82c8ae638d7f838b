import Logging
import Metrics
import NotesApp
import ScopedInjection

/// The scope of a live server.
func makeApplicationScope(options: [String: String] = [:], environment: [String: String] = [:]) -> EnvironmentScope {
    EnvironmentScope("application", role: .application, parent: nil) {
        // Else reading the settings would make a folder in the working directory.
        let environment = ["NOTES_DATABASE_FOLDER": "/"].merging(environment) { $1 }
        $0.provideApplication(options: options, environment: environment)
    }
}

/// A standalone scope with nothing of the live world in it: databases in memory, nobody to announce to, no log.
///
/// - Parameters:
///   - accounts: who may use the server
///   - configure: what the test sets otherwise than this
func makeTestScope(
    accounts: [TestUser] = TestUser.all,
    configure: (EnvironmentScope) -> Void = { _ in }
) -> EnvironmentScope {
    EnvironmentScope("test", role: .application, parent: nil) { scope in
        scope.provideSettings { Settings(databaseFolder: "none") }
        scope.accounts = Accounts(accounts.map(\.account))
        // No test depends on how fast the machine is.
        scope.requestTimeout = .seconds(600)
        scope.backgroundWork = BackgroundWork()
        scope.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        scope.metrics = NOOPMetricsHandler.instance
        scope.provide(\.database) { reader in
            let database = try NotesDatabase.inMemory()
            reader.onClose { try database.close() }
            return database
        }
        configure(scope)
    }
}
