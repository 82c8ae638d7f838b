import ScopedInjection
import Testing

/// An identifier whose description reads a scope.
private struct Tenant: Hashable, CustomStringConvertible {
    let number: Int
    @Injected(\.host) private var host

    init(_ number: Int) { self.number = number }

    static func == (one: Tenant, other: Tenant) -> Bool { one.number == other.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }

    var description: String { "\(host) \(number)" }
}

extension ScopeValues {
    fileprivate static func database(of tenant: Tenant) -> ScopeValue<Product> {
        .lazy(id: tenant) { _ in Product("database") }
    }
    fileprivate static var pool: ScopeValue<Product> { .lazy(.once(in: .application)) { _ in Product("pool") } }
    fileprivate static var first: ScopeValue<String> { .required() }
    fileprivate static var second: ScopeValue<String> { .required() }
}

@Suite("validate without arguments builds what is provided", .programRoots)
struct ValidateProvidedTests {
    private let app = EnvironmentScope("app", parent: nil) { $0.host = "tenant" }

    @Test("The description of an identifier may read scopes: no lock is held while names are made")
    func namesReadScopes() throws {
        for number in 0..<20 {
            app.provide({ $0.database(of: Tenant(number)) }) { Product("\(try $0.port) \(number)") }
        }
        try app { try app.validate() }
        #expect(app.localValue(for: { $0.database(of: Tenant(7)) })?.text == "8080 7")
    }

    @Test("Failures are listed by name, whatever the order in which builders were provided") func order() throws {
        for number in [3, 1, 2] { app.provide({ $0.database(of: Tenant(number)) }) { _ in throw CancellationError() } }
        try app {
            let error = try #require(throws: ScopeError.self) { try app.validate() }
            #expect(error.failures.map(\.name) == (1...3).map { "database(tenant \($0))" })
        }
    }

    @Test("It begins nothing that stays, also after a builder that validates another scope") func nested() throws {
        let other = EnvironmentScope.empty("other", parent: nil)
        let app = EnvironmentScope.empty("app", role: .application, parent: nil)
        app.provide(\.first) { _ in
            try other.validate()
            return "first"
        }
        app.provide(\.second) { try $0.pool.text }
        try app.validate()
        #expect(app.localValue(for: \.first) == "first")
        #expect(app.localValue(for: \.pool) == nil)
    }

    @Test("What a request would lack is found in a child that is closed again") func requests() async throws {
        struct Handler { @Injected(\.token) var token }
        let error = await #expect(throws: ScopeError.self) {
            try await app.validateChild("request", of: Handler()) { $0.user = User(name: "Ada") }
        }
        #expect(error?.searchedScopes.first == "request")
        let made = Box<EnvironmentScope?>(nil)
        try await app.validateChild("request", of: 1, Handler()) {
            made.value = $0
            $0.provide(\.token) { _ in Token(text: "t") }
        }
        #expect(made.value?.localValue(for: \.token) == Token(text: "t"))
        #expect(made.value?.isClosed == true)
        #expect(app.localValue(for: \.token) == nil)
    }
}
