import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var greeting: ScopeValue<String> { .lazy { "Hello \(try $0.token.text)" } }
    fileprivate static var session: ScopeValue<Int> { .lazy(.once(in: .application)) { $0.withCleanup(1) } }
    fileprivate static var client: ScopeValue<TokenClient> { .lazy { _ in TokenClient() } }
    fileprivate static var connection: ScopeValue<Int> { .lazy { _ in throw CancellationError() } }
}

private final class TokenClient: Sendable { let token = Injected(\.token) }

private struct Handler {
    @Injected(\.port) var port
    static let lineOfGreeting: UInt = #line + 1
    @Injected(\.greeting) var greeting
    @Injected(\.connection) var connection
}

@Suite("R10: $x.value() throws where a read of x would end the program", .programRoots)
struct ReferenceValueTests {
    private let app = EnvironmentScope("app", role: .application, parent: nil) { $0.port = 1 }
    private let handler = Handler()

    @Test("$x.value() gives the value of the current scope, or of the reference's own") func value() throws {
        #expect(try app { try handler.$port.value() } == 1)
        #expect(try EnvironmentScope.empty("live", defaults: .allowed)() { try handler.$port.value() } == 8080)
        handler.$port.scope = app
        #expect(try handler.$port.value() == 1)
        #expect(try app { try Injected({ $0.port + 1 }).value() } == 2)
    }

    @Test("The error names the reference, and the values on the way") func missing() throws {
        let error = try #require(throws: ScopeError.self) { try app { try handler.$greeting.value() } }
        #expect(error.code == .missingValue && error.name == "token" && error.path == ["greeting", "token"])
        #expect(error.reference?.line == Handler.lineOfGreeting && error.reference?.fileID == #fileID)
        app.token = Token(text: "Ada")
        #expect(try app { try handler.$greeting.value() } == "Hello Ada")
    }

    @Test("What a builder throws is passed on, and so is a closed scope") func failing() async throws {
        let failed = try #require(throws: ScopeError.self) { try app { try handler.$connection.value() } }
        #expect(failed.code == .makeFailed && failed.underlyingError is CancellationError)
        await app.close()
        let closed = try #require(throws: ScopeError.self) { try Injected(\.session, scope: app).value() }
        #expect(closed.code == .closed)
    }

    @Test("A scope of the reference that is gone is an error too") func goneScope() throws {
        do { EnvironmentScope("short", parent: nil) { [handler] in $0.anything = handler }.replaceInValues() }
        let error = try #require(throws: ScopeError.self) { try handler.$port.value() }
        #expect(error.code == .parentReleased && error.description.contains(#"its scope "short" is gone"#))
    }
}

@Suite("R9: validateReferences(in:) checks what the references of an instance read", .programRoots)
struct ValidateReferencesTests {
    private let app = EnvironmentScope.empty("app", parent: nil)

    @Test("All failures are reported, with the reference's line, and nothing is bound") func failures() throws {
        let handler = Handler()
        let error = try #require(throws: ScopeError.self) { try app.validateReferences(in: handler) }
        #expect(Set(error.failures.map(\.code)) == [.missingValue, .makeFailed])
        #expect(Set(error.failures.map(\.reference?.line)) == [Handler.lineOfGreeting, Handler.lineOfGreeting + 1])
        #expect(handler.$port.scope == nil)
        app.with(\.token, Token(text: "t")).with(\.connection, 1)
        try app.validateReferences(in: handler)
    }

    @Test("A reference with a scope of its own is checked in that one, and one whose scope is gone is a failure")
    func ownScopes() throws {
        struct Holder { let token = Injected(\.token) }
        let holder = Holder()
        do {
            let short = EnvironmentScope.empty("short", parent: nil)
            short.anything = holder
            short.replaceInValues()
        }
        let error = try #require(throws: ScopeError.self) { try app.validateReferences(in: holder) }
        #expect(error.code == .parentReleased)
        holder.token.scope = EnvironmentScope("own", parent: nil) { $0.token = Token(text: "t") }
        try app.validateReferences(in: holder)
    }

    @Test("The references of the values are checked with .recursive only") func recursive() throws {
        struct Holder { let client = Injected(\.client) }
        try app.validateReferences(in: Holder())
        let error = #expect(throws: ScopeError.self) { try app.validateReferences(in: Holder(), options: .recursive) }
        #expect(error?.code == .missingValue)
    }

    @Test("Each instance and each element of an array is checked, with .nested their properties, too")
    func severalInstances() throws {
        struct Client { let token = Injected(\.token) }
        struct Holder { let clients = [Client(), Client()] }
        let error = #expect(throws: ScopeError.self) { try app.validateReferences(in: [Client(), Client()]) }
        #expect(error?.failures.map(\.code) == [.missingValue, .missingValue])
        try app.validateReferences(in: Holder())
        #expect(throws: ScopeError.self) { try app.validateReferences(in: Holder(), options: .nested) }
        app.token = Token(text: "secret")
        try app.validateReferences(in: [Client(), Client()])
        try app.validateReferences(in: Holder(), options: .nested)
        app.removeValue(for: \.token)
        let both = #expect(throws: ScopeError.self) { try app.validateReferences(in: 1, [Client()], Client()) }
        #expect(both?.failures.count == 2)
    }
}
