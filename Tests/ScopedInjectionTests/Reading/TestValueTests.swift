import ScopedInjection
import Testing

private protocol Mailer: AnyObject, Sendable { var name: String { get } }
private final class SMTPMailer: Mailer {
    let name: String
    init(host: String) { name = "SMTP \(host)" }
}
private final class Outbox: Mailer { let name = "test outbox" }

extension ScopeValues {
    fileprivate static var mailHost: ScopeValue<String> { .value("localhost") }
    fileprivate static var retries: ScopeValue<Int> { .value(5, inTests: 0) }
    fileprivate static var mailer: ScopeValue<any Mailer> {
        .lazy(inTests: Outbox()) { try SMTPMailer(host: $0.mailHost) }
    }
    fileprivate static var sender: ScopeValue<String> {
        .lazy(makeInTests: { "test of \(try $0.mailHost)" }) { "live of \(try $0.mailHost)" }
    }
    fileprivate static var greeter: ScopeValue<String> { .lazy(isSafeInTests: true) { try $0.mailer.name } }
    fileprivate static var session: ScopeValue<User> { .required(inTests: User(name: "Ada")) }
    fileprivate static var shared: ScopeValue<Outbox> { .value(Outbox(), inTests: Outbox()) }
    fileprivate static var perRequest: ScopeValue<Outbox> { .required(.once(in: .request), inTests: Outbox()) }
    fileprivate static var perRead: ScopeValue<Outbox> { .required(.transient) }
    fileprivate static var built: ScopeValue<String> { .required(makeInTests: { "test of \(try $0.mailHost)" }) }
    fileprivate static var guest: ScopeValue<User?> { .optional(inTests: User(name: "guest")) }
    fileprivate static var key: ScopeValue<Int> { .required() }
    fileprivate static var failing: ScopeValue<Int> {
        .lazy(makeInTests: { _ in throw CancellationError() }) { _ in 1 }
    }
}

@Suite("R13: values that tests get where nobody set them", .programRoots)
struct TestValueTests {
    private let app = EnvironmentScope("app", parent: nil) { $0.mailHost = "mail.shop" }
    private let test = EnvironmentScope("test", parent: nil, defaults: .forbidden) { $0.mailHost = "mail.test" }

    @Test("A scope that forbids defaults gives them, any other one the live ones") func policy() {
        #expect([app.retries, test.retries] == [5, 0])
        #expect(app.mailer is SMTPMailer)
        #expect(test.mailer is Outbox && test.explain(\.retries).problem == nil)
    }

    @Test("A built one is kept in the scope that forbids, and is the scope's own") func kept() {
        let below = EnvironmentScope.empty("below", parent: test)
        let other = EnvironmentScope("other", parent: nil, defaults: .forbidden) { $0.mailHost = "mail.test" }
        #expect(below.mailer === test.mailer)
        #expect(other.mailer !== test.mailer)
    }

    @Test("A scope below an app has its own, also of what was built from the live one before") func below() {
        #expect(app.greeter == "SMTP mail.shop")
        let test = EnvironmentScope.empty("test", parent: app, defaults: .forbidden)
        #expect(test.greeter == "test outbox")
        let live = EnvironmentScope.empty("live", parent: test, defaults: .allowed)
        #expect([app.greeter, live.greeter] == ["SMTP mail.shop", "SMTP mail.shop"])
    }

    @Test("What is set or provided comes first; what they read is an input") func setAndInputs() {
        test.retries = 7
        #expect(test.retries == 7)
        #expect(test.sender == "test of mail.test")
        test.mailHost = "other.test"
        #expect(test.sender == "test of other.test")
    }

    @Test("A required value has one in tests if it says so, and is missing elsewhere") func required() throws {
        #expect(test.session.name == "Ada")
        #expect(try #require(throws: ScopeError.self) { try app.value(for: \.session) }.code == .missingValue)
        #expect(try #require(throws: ScopeError.self) { try test.value(for: \.key) }.code == .missingValue)
        #expect(try test.valueIfAny(for: \.key) == nil)
    }

    @Test("A constant has one for each standalone scope, and one for all others") func ofConstant() {
        let other = EnvironmentScope.empty("other", parent: nil, defaults: .reported)
        #expect(test.shared === EnvironmentScope.empty("below", parent: test).shared)
        #expect(test.shared !== other.shared)
        #expect(app.shared !== test.shared)
        #expect(app.shared === EnvironmentScope.empty("app 2", parent: nil).shared)
    }

    @Test("An optional value is nil but in tests") func ofOptional() {
        #expect([app.guest, test.guest] == [nil, User(name: "guest")])
        test.guest = nil
        #expect(test.guest == nil)
    }

    @Test("The lifetime of a required value is that of what is provided, and of what tests get")
    func lifetimeOfRequired() {
        func request(in scope: EnvironmentScope) -> EnvironmentScope {
            .empty("request", role: .request, parent: scope)
        }
        let (one, other) = (request(in: test), request(in: test))
        #expect(one.perRequest === one.perRequest && one.perRequest !== other.perRequest)
        app.provide(\.perRequest) { _ in Outbox() }
        let live = request(in: app)
        #expect(live.perRequest === live.perRequest)
        #expect(live.perRequest !== request(in: app).perRequest)
        app.provide(\.perRead) { _ in Outbox() }
        #expect(app.perRead !== app.perRead)
    }

    @Test("A builder for tests reads as the test's scope does")
    func builder() { #expect(test.built == "test of mail.test") }

    @Test("One that throws is the error of the read") func throwing() throws {
        let error = try #require(throws: ScopeError.self) { try test.value(for: \.failing) }
        #expect(error.code == .makeFailed && error.underlyingError is CancellationError)
    }
}
