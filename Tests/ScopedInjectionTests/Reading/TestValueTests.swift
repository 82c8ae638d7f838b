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
        .lazy(inTests: { _ in Outbox() }) { try SMTPMailer(host: $0.mailHost) }
    }
    fileprivate static var sender: ScopeValue<String> {
        .lazy(inTests: { "test of \(try $0.mailHost)" }) { "live of \(try $0.mailHost)" }
    }
    fileprivate static var greeter: ScopeValue<String> { .lazy(isSafeInTests: true) { try $0.mailer.name } }
    fileprivate static var session: ScopeValue<User> { .required(inTests: { _ in User(name: "Ada") }) }
    fileprivate static var key: ScopeValue<Int> { .required() }
    fileprivate static var failing: ScopeValue<Int> { .lazy(inTests: { _ in throw CancellationError() }) { _ in 1 } }
}

@Suite("R13: values that tests get where nobody set them")
struct TestValueTests {
    private let app = EnvironmentScope("app", parent: nil) { $0.mailHost = "mail.shop" }
    private let test = EnvironmentScope("test", parent: nil, defaults: .forbidden) { $0.mailHost = "mail.test" }

    @Test("A scope that forbids defaults gives them, any other one the live ones")
    func policy() {
        #expect([app.retries, test.retries] == [5, 0])
        #expect(app.mailer is SMTPMailer)
        #expect(test.mailer is Outbox)
        #expect(test.explain(\.retries).problem == nil)
    }

    @Test("A built one is kept in the scope that forbids, and is the scope's own")
    func kept() {
        let below = EnvironmentScope.empty("below", parent: test)
        let other = EnvironmentScope("other", parent: nil, defaults: .forbidden) { $0.mailHost = "mail.test" }
        #expect(below.mailer === test.mailer)
        #expect(other.mailer !== test.mailer)
    }

    @Test("A scope below an app has its own, also of what was built from the live one before")
    func below() {
        #expect(app.greeter == "SMTP mail.shop")
        let test = EnvironmentScope.empty("test", parent: app, defaults: .forbidden)
        #expect(test.greeter == "test outbox")
        let live = EnvironmentScope.empty("live", parent: test, defaults: .allowed)
        #expect([app.greeter, live.greeter] == ["SMTP mail.shop", "SMTP mail.shop"])
    }

    @Test("What is set or provided comes first; what they read is an input")
    func setAndInputs() {
        test.retries = 7
        #expect(test.retries == 7)
        #expect(test.sender == "test of mail.test")
        test.mailHost = "other.test"
        #expect(test.sender == "test of other.test")
    }

    @Test("A required value has one in tests if it says so, and is missing elsewhere")
    func required() throws {
        #expect(test.session.name == "Ada")
        #expect(try #require(throws: ScopeError.self) { try app.value(for: \.session) }.code == .missingValue)
        #expect(try #require(throws: ScopeError.self) { try test.value(for: \.key) }.code == .missingValue)
        #expect(try test.valueIfAny(for: \.key) == nil)
    }

    @Test("One that throws is the error of the read")
    func throwing() throws {
        let error = try #require(throws: ScopeError.self) { try test.value(for: \.failing) }
        #expect(error.code == .makeFailed)
        #expect(error.underlyingError is CancellationError)
    }
}
