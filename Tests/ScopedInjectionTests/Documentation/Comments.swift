import Dispatch
import Foundation
import ScopedInjection
import Testing

// The examples in the comments of the library: compiled, and not run. The articles have examples that are run.

private enum DatabaseKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> any Database {
        try SQLite(path: scope.value(for: DatabasePathKey.self))
    }
}

extension EnvironmentScope {
    fileprivate var database: any Database {
        get { self[DatabaseKey.self] }
        set { self[DatabaseKey.self] = newValue }
    }
}

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

private enum MailerKey: ScopeKey { static var defaultValue: Mailer { Mailer() } }
private enum AdminPortKey: ScopeKey { static let defaultValue = 8081 }
private enum PrimaryKey: ScopeKey { static let defaultValue = 1 }
private enum ReplicaKey: ScopeKey { static let defaultValue = 2 }

extension EnvironmentScope {
    fileprivate var mailer: Mailer {
        get { self[MailerKey.self] }
        set { self[MailerKey.self] = newValue }
    }
    fileprivate var adminPort: Int { self[AdminPortKey.self] }
}

private struct Server {
    @Injected(PortKey.self) var port
}

private struct Port: Sendable {}

extension Port: ScopeDescribable {}

private actor Pool {
    init() throws {}
    func shutdown() {}
}

private enum PoolKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Pool {
        let pool = try Pool()
        scope.onClose { await pool.shutdown() }
        return pool
    }
}

// What the examples only mention.
private struct Logger: Sendable {
    func debug(_ text: String) {}
    func info(_ text: String) {}
    func error(_ text: String) {}
}
private struct Parser { func parse(_ text: String) throws -> Int { text.count } }
private enum Postgres { static func connect() async throws -> any Database { InMemory() } }
private struct Plain: Sendable { func run() {} }
private struct Throwing: Sendable { func run() throws -> Int { 1 } }
private struct Waiting: Sendable { func run() async {} }
private struct Failing: Sendable { func run() async throws {} }

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

private func creatingEmpty(app: EnvironmentScope, alice: User) -> [EnvironmentScope] {
    let scope = EnvironmentScope.empty("jobs", parent: app).with(\.port, 9090)
    let test = EnvironmentScope.empty("test", parent: nil).with(\.port, 9090).with(\.user, alice)
    return [scope, test]
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
    await app.close()
}

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

private func values(of app: EnvironmentScope, request: EnvironmentScope, scope: EnvironmentScope) throws {
    #expect(request.localValue(for: DatabaseKey.self) == nil)
    try app.validate(DatabaseKey.self, TokenKey.self)
    app.provide(DatabaseKey.self) { scope in try SQLite(path: scope.value(for: DatabasePathKey.self)) }
    scope.alias(PrimaryKey.self, to: ReplicaKey.self)
}

private func references() -> Any {
    let address = Injected { scope in "\(scope.host):\(scope.port)" }
    let paths: [any KeyPath<EnvironmentScope, Int> & Sendable] = [\.port, \.adminPort]
    let ports = paths.map { Injected(keyPath: $0) }
    return (address, ports)
}

private func connect(with token: Token) {}

private func errors(scope: EnvironmentScope, logger: Logger) {
    do {
        let token = try scope.value(for: TokenKey.self)
        connect(with: token)
    } catch {
        logger.error("\(error)")
    }
}

private func seeing(app: EnvironmentScope, request: EnvironmentScope, logger: Logger, file: URL) throws {
    logger.info("\(request.explain(DatabaseKey.self))")
    print(request.explain(DatabaseKey.self))
    #expect(request.explain(DatabaseKey.self).keptIn == "app")
    print(app.graph.mermaid)
    try app.graph.mermaid.write(to: file, atomically: true, encoding: .utf8)
    app.observe { event in logger.debug("\(event)") }
}
