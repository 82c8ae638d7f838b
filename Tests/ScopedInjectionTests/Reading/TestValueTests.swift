import ScopedInjection
import Testing

@Suite("R13: values that tests get where nobody set them")
struct TestValueTests {
    private let app = EnvironmentScope("app", parent: nil) { $0.mailHost = "mail.shop" }
    private let test = EnvironmentScope("test", parent: nil, defaults: .forbidden) { $0.mailHost = "mail.test" }

    @Test("A scope that forbids defaults gives them, any other one the live ones")
    func policy() {
        #expect(app.retries == 5)
        #expect(test.retries == 0)
        #expect(app.mailer is SMTPMailer)
        #expect(test.mailer is Outbox)
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
        #expect(app.greeter == "SMTP mail.shop")
        let live = EnvironmentScope.empty("live", parent: test, defaults: .allowed)
        #expect(live.greeter == "SMTP mail.shop")
    }

    @Test("What is set or provided comes first, and can be built on them")
    func setAndProvided() {
        test.provide(\.retries) { try $0.inherited(\.retries) + 1 }
        #expect(test.retries == 1)
        test.retries = 7
        #expect(test.retries == 7)
    }

    @Test("What they read is an input")
    func inputs() {
        #expect(test.sender == "test of mail.test")
        test.mailHost = "other.test"
        #expect(test.sender == "test of other.test")
    }

    @Test("A required value has one in tests, and is missing elsewhere")
    func required() throws {
        #expect(test.session.user == "Ada")
        let error = try #require(throws: ScopeError.self) { try app.value(for: \.session) }
        #expect(error.code == .missingValue)
    }

    @Test("A required value without one is missing in tests too: the error and the text are the same")
    func missing() throws {
        let error = try #require(throws: ScopeError.self) { try test.value(for: \.key) }
        #expect(error.code == .missingValue)
        #expect(try test.valueIfAny(\.key) == nil)
    }

    @Test("One that throws is the error of the read")
    func throwing() throws {
        let error = try #require(throws: ScopeError.self) { try test.value(for: \.failing) }
        #expect(error.code == .makeFailed)
        #expect(error.underlyingError is CancellationError)
    }

    @Test("An explanation sees no problem")
    func explained() {
        let explanation = test.explain(\.retries)
        #expect(explanation.problem == nil)
        #expect(explanation.source == .default)
    }
}

private protocol Mailer: AnyObject, Sendable { var name: String { get } }
private final class SMTPMailer: Mailer {
    let name: String
    init(host: String) { name = "SMTP \(host)" }
}
private final class Outbox: Mailer { let name = "test outbox" }
private struct Session { var user: String }

extension ScopeValues {
    fileprivate static let mailHost = ScopeValue("localhost")
    fileprivate static let retries = ScopeValue(5, inTests: 0)
    fileprivate static let mailer = ScopeValue<any Mailer> { scope in
        SMTPMailer(host: scope.mailHost)
    } inTests: { _ in
        Outbox()
    }
    fileprivate static let sender = ScopeValue {
        "live of \($0.mailHost)"
    } inTests: {
        "test of \($0.mailHost)"
    }
    fileprivate static let greeter = ScopeValue(isSafeInTests: true) { $0.mailer.name }
    fileprivate static let session = ScopeValue<Session>.required(inTests: { _ in Session(user: "Ada") })
    fileprivate static let key = ScopeValue<Int>.required()
    fileprivate static let failing = ScopeValue<Int> { _ in
        1
    } inTests: { _ in
        throw CancellationError()
    }
}
