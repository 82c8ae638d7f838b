import ScopedInjection
import Testing

private struct Handler: Sendable {
    @Injected(\.database) var database

    func run() -> String { database.path }
}

@Suite("Documentation: migrating")
struct MigratingPage {
    @Test("From kvEnvironment")
    func kvEnvironment() {
        let handler = Handler()
        let scope = EnvironmentScope("test") { $0.database = InMemory() }
        #expect(scope { handler.run() } == ":memory:")
        scope.replace(in: handler, options: .recursive)
        #expect(handler.run() == ":memory:")
    }

    @Test("From swift-dependencies")
    func swiftDependencies() {
        let test = EnvironmentScope("test", parent: nil) { $0.database = InMemory() }
        #expect(test { Handler().run() } == ":memory:")
    }

    @Test("From Factory")
    func factory() {
        let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "notes.db" }
        app.provide(\.database) { _ in InMemory() }
        #expect(app { Handler().run() } == ":memory:")
        app.removeValue(for: \.database)
        #expect(app { Handler().run() } == "notes.db")
    }

    @Test("From Swinject")
    func swinject() {
        let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "notes.db" }
        let database = app.database
        let request = EnvironmentScope.empty("request", parent: app)
        #expect(request.database === database)
    }
}
