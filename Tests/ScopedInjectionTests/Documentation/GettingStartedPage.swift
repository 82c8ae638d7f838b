import ScopedInjection
import Testing

private enum SharedValues { static let limit = ScopeValue(100) }

extension ScopeValues { fileprivate static var limit: ScopeValue<Int> { SharedValues.limit } }

private struct Handler: Sendable {
    @Injected(\.database) var database
    @Injected(\.user?.name) var userName

    func run() -> String { "\(userName ?? "nobody") reads \(database.path)" }
}

private final class Service: Sendable {
    let database = Injected(\.database)

    func run() -> String { "somebody reads \(database().path)" }
}

@Suite("Documentation: getting started")
struct GettingStartedPage {
    @Test("A value that other modules use is a computed property")
    func shared() {
        let app = EnvironmentScope("app", parent: nil) { $0.limit = 5 }
        #expect(app.limit == 5)
        #expect(EnvironmentScope.empty(parent: app).limit == 5)
    }

    @Test("A request reads what is set in the application, a test what it sets itself")
    func scopes() throws {
        let app = EnvironmentScope("app") { $0.databasePath = "live.db" }
        let request = EnvironmentScope("request", parent: app) { $0.user = User(name: "Ada") }
        #expect(request { Handler().run() } == "Ada reads live.db")

        let test = EnvironmentScope("test", parent: nil) { $0.database = InMemory() }
        #expect(test { Handler().run() } == "nobody reads :memory:")

        #expect(test { Service().run() } == "somebody reads :memory:")
        try app.validate(\.database, \.port)
    }
}
