import Configuration
import Logging
import Metrics
import NotesApp
import ScopedInjection

/// A standalone scope with nothing of the live world in it: databases in memory, nobody to announce to, no log.
///
/// - Parameters:
///   - accounts: who may use the server
///   - configure: what the test sets otherwise than this
func makeTestScope(
    accounts: [TestUser] = TestUser.all,
    configure: (EnvironmentScope) -> Void = { _ in }
) -> EnvironmentScope {
    EnvironmentScope("test", parent: nil) { scope in
        scope.configuration = ConfigReader(provider: InMemoryProvider(values: [:]))
        scope.accounts = Accounts(accounts.map(\.account))
        scope.databaseFolder = "none"
        scope.backgroundWork = BackgroundWork()
        scope.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        scope.metrics = NOOPMetricsHandler.instance
        scope.provide(\.database) { scope in
            _ = try scope.value(for: \.tenant)
            let database = try NotesDatabase.inMemory()
            scope.onClose { database.close() }
            return database
        }
        configure(scope)
    }
}
