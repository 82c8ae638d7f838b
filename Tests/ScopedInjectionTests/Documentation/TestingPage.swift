import ScopedInjection
import Testing

extension ScopeValues { fileprivate static let limit = ScopeValue(100, isSafeInTests: true) }

private protocol Mailer: Sendable {}
private struct SMTPMailer: Mailer { let host: String }
private struct Outbox: Mailer {}

extension ScopeValues {
    fileprivate static let mailHost = ScopeValue("mail.example.com")
}

extension ScopeValues {
    fileprivate static let retries = ScopeValue(5, inTests: 0)
    fileprivate static let mailer = ScopeValue<any Mailer> { scope in
        SMTPMailer(host: scope.mailHost)
    } inTests: { _ in
        Outbox()
    }
}

private struct Handler: Sendable {
    @Injected(\.database) var database
    @Injected(\.user?.name) var userName

    func run() -> String { "\(userName ?? "nobody") reads \(database.path)" }
}

@Suite("Documentation: testing")
struct TestingPage {
    @Test func servesTheUser() {
        let scope = EnvironmentScope("test", parent: nil, defaults: .forbidden) {
            $0.database = InMemory()
            $0.user = User(name: "Ada")
        }
        #expect(scope { Handler().run() } == "Ada reads :memory:")
    }

    @Test func forgetsTheDatabase() {
        let scope = EnvironmentScope.empty("test", parent: nil, defaults: .forbidden)
        #expect(throws: ScopeError.self) { try scope.value(for: \.database) }
    }

    @Test func usesAHarmlessDefault() {
        let scope = EnvironmentScope.empty("test", parent: nil, defaults: .forbidden)
        #expect(scope.limit == 100)
    }

    @Test func hasValuesOfItsOwn() {
        let scope = EnvironmentScope.empty("test", parent: nil, defaults: .forbidden)
        #expect(scope.retries == 0)
        #expect(scope.mailer is Outbox)
        let live = EnvironmentScope.empty("live", parent: nil)
        #expect((live.mailer as? SMTPMailer)?.host == "mail.example.com")
    }

    @Suite struct HandlerTests {
        let base = EnvironmentScope("suite", parent: nil) { $0.database = InMemory() }

        @Test(arguments: ["Ada", "Grace"])
        func serves(_ name: String) {
            let scope = EnvironmentScope("test", parent: base) { $0.user = User(name: name) }
            #expect(scope { Handler().run() } == "\(name) reads :memory:")
        }
    }

    @Test func readsAnotherFile() {
        let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" }
        let test = EnvironmentScope("test", parent: app) { $0.databasePath = "test.db" }
        #expect(test { Handler().run() } == "nobody reads test.db")
        #expect(app { Handler().run() } == "nobody reads live.db")
    }

    @Test func sharesTheDatabase() {
        let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" }
        let request = EnvironmentScope("request", parent: app) { $0.user = User(name: "Ada") }
        _ = request { Handler().run() }
        #expect(request.localValue(for: \.database) == nil)
        #expect(request.explain(\.database).keptIn == "app")
    }
}
