import ScopedInjection
import Testing

private final class Greeter: Sendable {
    let greeting: String
    let user = Injected(\.user)

    init(greeting: String) { self.greeting = greeting }

    func greet() -> String { "\(greeting), \(user()?.name ?? "nobody")" }
}

extension ScopeValues {
    fileprivate static let greeting = ScopeValue("Hello", name: "greeting")
    fileprivate static let greeter = ScopeValue { scope in Greeter(greeting: scope.greeting) }
}

private final class Mailer: Sendable {
    let token: Token
    init(token: Token) { self.token = token }
}

private final class Notifier: Sendable {
    let token = Injected(\.token)
}

extension ScopeValues {
    fileprivate static let mailer = ScopeValue { scope in Mailer(token: try scope.value(for: \.token)) }
    fileprivate static let notifier = ScopeValue { _ in Notifier() }
}

private struct Logger: Sendable { var label = "app" }

private final class Exporter: Sendable {
    let logger: Logger
    init(logger: Logger) { self.logger = logger }

    func run() -> String { "exported for \(logger.label)" }
}

private final class Importer: Sendable {
    let logger = Injected(\.logger)

    func run() -> String { "imported for \(logger().label)" }
}

extension ScopeValues {
    fileprivate static let logger = ScopeValue(Logger())
    fileprivate static let exporter = ScopeValue { scope in Exporter(logger: scope.logger) }
    fileprivate static let importer = ScopeValue { _ in Importer() }
}

extension ScopeValues {
    fileprivate static let appLogger = ScopeValue(Logger())
    fileprivate static let archiver = ScopeValue { scope in Exporter(logger: scope.appLogger) }
}

extension ScopeValues {
    fileprivate static let greetLater = ScopeValue<@Sendable () -> String> { scope in
        { "Hello, \(scope.user?.name ?? "nobody")" }
    }
    fileprivate static let greetCaller = ScopeValue<@Sendable () -> String> { _ in
        { "Hello, \(EnvironmentScope.current.user?.name ?? "nobody")" }
    }
    fileprivate static let greetUser = ScopeValue<@Sendable () -> String> { scope in
        let user = scope.user
        return { "Hello, \(user?.name ?? "nobody")" }
    }
}

@Suite("Documentation: constructor or reference?")
struct ConstructorOrReferencePage {
    private let app = EnvironmentScope("app", parent: nil) { $0.greeting = "Welcome" }
    private let request: EnvironmentScope

    init() { request = EnvironmentScope("request", parent: app) { $0.user = User(name: "Ada") } }

    @Test("One service serves all requests, and sees what differs between them")
    func both() {
        let greeter = app.greeter
        #expect(request.greeter === greeter)
        #expect(request { greeter.greet() } == "Welcome, Ada")
    }

    @Test("A service that is called outside of its scope reads the current scope")
    func outside() {
        let greeter = request.greeter
        #expect(greeter.greet() == "Welcome, nobody")

        let other = EnvironmentScope("other", parent: nil) { $0.user = User(name: "Bob") }
        #expect(other { greeter.greet() } == "Welcome, Bob")
    }

    @Test("An override of an input builds another service, and an override of a reference is read")
    func rebuilding() {
        let greeter = request.greeter
        request.user = User(name: "Eve")
        #expect(request.greeter === greeter)
        #expect(request { greeter.greet() } == "Welcome, Eve")

        request.greeting = "Hi"
        #expect(request.greeter !== greeter)
        #expect(request { request.greeter.greet() } == "Hi, Eve")
        #expect(request { greeter.greet() } == "Welcome, Eve")
    }

    @Test("Inputs are validated with the value, references by themselves")
    func validating() throws {
        #expect(throws: ScopeError.self) { try app.validate(\.mailer) }
        try app.validate(\.notifier)
        #expect(throws: ScopeError.self) { try app.validateReferences(in: app.notifier) }
    }

    @Test("Explanations and graphs show inputs, and no references")
    func seeing() {
        _ = request.greeter
        #expect(app.explain(\.greeter).inputs.map(\.key) == ["greeting"])
        #expect(app.graph.edges.count == 1)
    }

    @Test("A value that is built from the request's logger is kept in the request")
    func capturing() {
        request.logger.label = "request 1"
        #expect(request.exporter !== app.exporter)
        #expect(request.explain(\.exporter).keptIn == "request")
    }

    @Test("A value with a reference is shared, and so is one whose inputs no request overrides")
    func sharing() {
        request.logger.label = "request 1"
        #expect(request.importer === app.importer)
        #expect(request { request.importer.run() } == "imported for request 1")

        #expect(request.archiver === app.archiver)
        #expect(request.archiver.run() == "exported for app")
    }

    @Test("A function that reads late reads in the scope that keeps the value")
    func functions() {
        #expect(request.greetLater() == "Hello, nobody")
        #expect(request { request.greetLater() } == "Hello, nobody")
        #expect(request.explain(\.greetLater).keptIn == "app")

        #expect(request { request.greetCaller() } == "Hello, Ada")
        #expect(request.greetCaller() == "Hello, nobody")

        #expect(request.greetUser() == "Hello, Ada")
        #expect(request.explain(\.greetUser).keptIn == "request")
    }
}
