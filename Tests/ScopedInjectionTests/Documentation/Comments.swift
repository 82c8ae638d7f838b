import Dispatch
import Foundation
import ScopedInjection
import Testing

// The examples in the comments of the library: compiled, and not run. The articles have examples that are run.

// MARK: - Values

extension ScopeValues { fileprivate static let log = ScopeValue<RequestLog>(.scoped) { RequestLog($0.logger) } }

extension ScopeValues {
    fileprivate static let logger = ScopeValue(Logger())
    fileprivate static let adminPort = ScopeValue(8081)
    fileprivate static let mailer = ScopeValue { _ in Mailer() }
    fileprivate static let primary = ScopeValue(1)
    fileprivate static let replica = ScopeValue(2)
    fileprivate static let settings = ScopeValue(Settings())
    fileprivate static let jobID = ScopeValue(1)
}

private enum Declarations {
    static let port = ScopeValue(8080, isSafeInTests: true)
}

// MARK: - Types

private struct Handler: Sendable {
    @Injected(\.database) var database
    @Injected(\.user?.name) var userName
}

private final class Service: Sendable {
    let database = Injected(\.database)
}

private final class Mailer: Sendable {
    let user = Injected(\.user)
}

private struct Port: Sendable {}

extension Port: ScopeDescribable {}

private actor Pool {
    init() throws {}
    func shutdown() {}
}

extension ScopeValues {
    fileprivate static let pool = ScopeValue { scope in
        let pool = try Pool()
        scope.onClose { await pool.shutdown() }
        return pool
    }
}

private actor Connection {
    let statistics = ""
    static func open(_ path: String) async throws -> Connection { Connection() }
}

private actor Greeter {
    func greeting() -> String { "Hello" }
}

extension ScopeValues {
    fileprivate static let connection = ScopeValue<Deferred<Connection>> { scope in
        let path = scope.databasePath
        return Deferred { try await Connection.open(path) }
    }

    fileprivate static let greeting = ScopeValue(Deferred { await Greeter().greeting() })
}

private func awaiting(_ scope: EnvironmentScope) async throws {
    let connection = try await scope.connection()
    if let connection = scope.connection.valueIfReady { print(connection.statistics) }
    withExtendedLifetime(connection) {}
}

// Types that the examples only mention.
private struct Logger: Sendable {
    func debug(_ text: String) {}
    func info(_ text: String) {}
    func error(_ text: String) {}
    func tagged(_ tag: String) -> Logger { self }
}
private struct RequestLog: Sendable { init(_ logger: Logger) {} }
private struct Settings: Sendable { var url = "https://notes.example" }
private struct Parser { func parse(_ text: String) throws -> Int { text.count } }
private enum Postgres { static func connect() async throws -> any Database { InMemory() } }
private struct Plain: Sendable { func run() {} }
private struct Throwing: Sendable { func run() throws -> Int { 1 } }
private struct Waiting: Sendable { func run() async {} }
private struct Failing: Sendable { func run() async throws {} }
private struct Job: Sendable {
    let id: Int
    func run() async throws {}
}

// MARK: - Making and entering scopes

private func creating(user: User, handler: Plain) throws {
    let app = try EnvironmentScope("app") { $0.database = try SQLite(path: "notes.db") }
    let request = EnvironmentScope("request", parent: app) { $0.user = user }
    request { handler.run() }
    let test = EnvironmentScope("test", parent: nil) { $0.database = InMemory() }
    withExtendedLifetime((app, test)) {}
}

private func forbidding() -> EnvironmentScope {
    let test = EnvironmentScope("test", parent: nil, defaults: .forbidden) { $0.database = InMemory() }
    return test
}

private func creatingLater() async throws -> EnvironmentScope {
    let app = try await EnvironmentScope("app") { $0.database = try await Postgres.connect() }
    return app
}

private func creatingEmpty(app: EnvironmentScope) -> EnvironmentScope {
    let scope = EnvironmentScope.empty("jobs", parent: app).with(\.port, 9090)
    return scope
}

private func entering(request: EnvironmentScope, handler: Throwing) throws -> Int {
    EnvironmentScope.global { $0.port = 9090 }
    let answer = try request { try handler.run() }
    return answer
}

private func enteringLater(request: EnvironmentScope, handler: Failing) async throws {
    try await request { try await handler.run() }
    try await EnvironmentScope.global { $0.database = try await Postgres.connect() }
}

private func binding(queue: DispatchQueue, handler: Plain) {
    queue.async(execute: EnvironmentScope.current.bind { handler.run() })
}

private func binding(scope: EnvironmentScope) -> @Sendable (String) throws -> Int {
    let parse = scope.bind { (text: String) throws in try Parser().parse(text) }
    return parse
}

private func binding(handler: Waiting) {
    Task.detached(operation: EnvironmentScope.current.bind { await handler.run() })
}

private func children(of app: EnvironmentScope, user: User, handler: Failing, job: Failing) async throws {
    try await app.withChild("request") {
        $0.user = user
    } operation: {
        try await handler.run()
    }
    try await app.withChild("job") { try await job.run() }
    try await app.withChild("job") { job in try await Job(id: job.jobID).run() }
    await app.close()
}

// MARK: - Rebinding references

private func replacing(in test: EnvironmentScope, users: Service, orders: Service) {
    let service = Service()
    test.replace(in: service)
    test.replace(in: [users, orders])
    test.replace(in: users, orders)
}

private func replacingInValues() {
    let test = EnvironmentScope("test", parent: nil) { $0.mailer = Mailer() }
    test.replaceInValues()
}

private func validating(_ app: EnvironmentScope, controller: Service, users: Service, orders: Service) throws {
    try app.validateReferences(in: controller, options: .nested)
    try app.validateReferences(in: [users, orders])
}

// MARK: - Reading and setting

private func connect(with token: Token) {}

private func members(of scope: EnvironmentScope) -> Any {
    scope.port = 9090
    let database = scope.database
    scope[\.port] = 9090
    return database
}

private func paths(app: EnvironmentScope, request: EnvironmentScope, scope: EnvironmentScope) throws {
    let token = try scope.value(for: \.token)
    connect(with: token)
    if let token = try scope.valueIfAny(\.token) { connect(with: token) }
    #expect(request.localValue(for: \.database) == nil)
    app.provide(\.logger) { scope in try scope.inherited(\.logger).tagged("app") }
    try app.validate(\.database, \.token)
    app.provide(\.database) { scope in try SQLite(path: "notes.db") }
    request.removeValue(for: \.user)
    let test = EnvironmentScope.empty("test", parent: nil).with(\.port, 9090)
    test.removeAll()
    scope.alias(\.primary, to: \.replica)
    print(request.explain(\.database))
}

private func values(app: EnvironmentScope, request: EnvironmentScope, scope: EnvironmentScope) throws {
    let token = try scope.value(for: ScopeValues.token)
    connect(with: token)
    if let token = try scope.valueIfAny(ScopeValues.token) { connect(with: token) }
    #expect(request.localValue(for: ScopeValues.database) == nil)
    app.provide(ScopeValues.logger) { scope in try scope.inherited(ScopeValues.logger).tagged("app") }
    try app.validate(ScopeValues.database, ScopeValues.token)
    try app.validate()
    app.provide(ScopeValues.database) { scope in try SQLite(path: scope.databasePath) }
    request.removeValue(for: ScopeValues.user)
    let test = EnvironmentScope.empty("test", parent: nil).with(ScopeValues.port, 9090)
    test.removeAll()
    scope.alias(ScopeValues.primary, to: ScopeValues.replica)
    print(request.explain(ScopeValues.database))
}

private func variables(scope: EnvironmentScope) -> [Int] {
    let values = [ScopeValues.port, ScopeValues.adminPort]
    let ports = values.map { scope[$0] }
    return ports
}

private func longerPath(url: String) -> EnvironmentScope {
    let test = EnvironmentScope.empty("test", parent: nil).with(\.settings.url, url)
    return test
}

private func references() -> Any {
    let references = [ScopeValues.port, ScopeValues.adminPort].map { Injected(value: $0) }
    let address = Injected { scope in "\(scope.host):\(scope.port)" }
    let paths: [any KeyPath<EnvironmentScope, Int> & Sendable] = [\.port, \.adminPort]
    let ports = paths.map { Injected(keyPath: $0) }
    return (references, address, ports)
}

// MARK: - Errors, and seeing

private func errors(scope: EnvironmentScope, logger: Logger) {
    do {
        let token = try scope.value(for: \.token)
        connect(with: token)
    } catch {
        logger.error("\(error)")
    }
}

private func seeing(app: EnvironmentScope, request: EnvironmentScope, logger: Logger, file: URL) throws {
    logger.info("\(request.explain(\.database))")
    print(app.graph.mermaid)
    try app.graph.mermaid.write(to: file, atomically: true, encoding: .utf8)
    app.observe { event in logger.debug("\(event)") }
}
