import Dispatch
import Foundation
import ScopedInjection
import Testing

// The examples in the comments of the library: compiled, and not run. The articles have examples that are run.

extension ScopeValues {
    fileprivate static var adminPort: ScopeValue<Int> { .value(8081) }
    fileprivate static var mailer: ScopeValue<Comments.Mailer?> { .optional() }
    fileprivate static var primary: ScopeValue<Int> { .value(1) }
    fileprivate static var replica: ScopeValue<Int> { .value(2) }
    fileprivate static var settings: ScopeValue<Comments.Settings> { .value(Comments.Settings()) }
    fileprivate static var plugins: ScopeValue<[Comments.Audit]> { .value([]) }
    fileprivate static var git: ScopeValue<Comments.GitClient> { .required() }
    fileprivate static var shell: ScopeValue<String> { .value("sh") }
    fileprivate static var poolSize: ScopeValue<Int> { .value(5) }
    fileprivate static var notebook: ScopeValue<Comments.Notebook> { .required() }
}

extension Comments {
    fileprivate static var port: ScopeValue<Int> { .value(8080, isSafeInTests: true) }
    fileprivate static var cart: ScopeValue<Cart> { .lazy(.scoped) { _ in Cart() } }
    fileprivate static func flag(_ name: String) -> ScopeValue<Bool> { .value(false, id: name) }
}

extension ScopeValues {
    fileprivate static var connection: ScopeValue<Deferred<Comments.Connection>> { Comments.connection }
}

/// A place of its own for types that the articles have, too.
private enum Comments {
    static var connection: ScopeValue<Deferred<Connection>> {
        .lazy { reader in
            let path = try reader.databasePath
            return Deferred { try await Connection.open(path) }
        }
    }
    static var replica: ScopeValue<Deferred<Connection>> {
        .lazy { reader in
            let path = try reader.databasePath
            return reader.deferred {
                try await Connection.open(path)
            } onClose: {
                try await $0.shutdown()
            }
        }
    }
    static var greeting: ScopeValue<Deferred<String>> { .lazy { _ in Deferred { await Greeter().greeting() } } }
    static var sized: ScopeValue<Pool> {
        .lazy { reader in try Pool(path: reader.databasePath, size: reader.poolSize) }
    }
    static var search: ScopeValue<Search> {
        .lazy { reader in try reader[ScopeValues.flag("beta")] ? BetaSearch() : Search() }
    }
    static var tracedClient: ScopeValue<Client> {
        .lazy { reader in
            let span = Span()
            reader.onClose { span.end() }
            return try Client(token: reader.valueIfAny(for: \.token))
        }
    }
    static var client: ScopeValue<Client> {
        .lazy { reader in try Client(token: reader.valueIfAny(for: \.token)) }
    }
    static var pool: ScopeValue<Pool> {
        .lazy { reader in
            let pool = try Pool(path: reader.databasePath)
            reader.onClose { try await pool.shutdown() }
            return pool
        }
    }

    struct GitClient: Sendable {
        var tags: @Sendable () -> [String]
        static let unimplemented = GitClient(tags: { [] })
        static func live(_ shell: String) throws -> GitClient { GitClient(tags: { [shell] }) }
    }
    struct Tracer: Sendable {}

    static var git: ScopeValue<GitClient> {
        .lazy(inTests: .unimplemented) { try .live($0.shell) }
    }
    static var logger: ScopeValue<Logger> {
        .required(inTests: Logger(label: "test"))
    }
    static var tracer: ScopeValue<Tracer?> {
        .optional(inTests: Tracer())
    }
    struct Handler: Sendable {
        @Injected(\.database) var database
        @Injected(\.user?.name) var userName
    }
    final class Service: Sendable {
        let database = Injected(\.database)
    }
    struct Page {
        @Injected({ view in "\(view.host):\(view.port)" }) var address
        @Injected(\.user?.name) var userName
    }
    struct NoteHandler: Sendable {
        @Injected(\.notebook) var database

        func run() throws -> [Note] { try $database.value().notes() }
    }

    // Types that the examples only mention.
    final class Span: Sendable {
        func end() {}
    }
    actor Connection {
        let statistics = ""
        static func open(_ path: String) async throws -> Connection { Connection() }
        func shutdown() throws {}
    }
    final class Pool: Database {
        let path: String
        init(path: String, size: Int = 5) throws { self.path = path }
        func shutdown() async throws {}
    }
    struct Port: Sendable {}
    struct Note: Sendable {}
    struct Events: Sendable { func forEach(_ body: @escaping @Sendable (Int) async -> Void) async {} }
    struct EventHandler: Sendable { func handle(_ event: Int) async {} }
    struct Transactions: Sendable {
        func transaction(_ body: @escaping @Sendable (Self) async throws -> Void) async throws { try await body(self) }
        func save(_ note: Note) async throws {}
    }
    final class Notebook: Sendable { func notes() throws -> [Note] { [] } }
    final class Mailer: Sendable { let user = Injected(\.user) }
    actor Greeter { func greeting() -> String { "Hello" } }
    struct Cart: Sendable {}
    struct Audit: Sendable {}
    class Search: @unchecked Sendable {}
    final class BetaSearch: Search, @unchecked Sendable {}
    struct Client: Sendable { let token: Token? }
    struct Settings: Sendable { var url = "https://notes.example" }
    struct Parser { func parse(_ text: String) throws -> Int { text.count } }
    enum Postgres { static func connect() async throws -> any Database { InMemory() } }
    struct Plain: Sendable { func run() {} }
    struct Throwing: Sendable { func run() throws -> Int { 1 } }
    struct Waiting: Sendable { func run() async {} }
    struct Failing: Sendable { func run() async throws {} }
}

private typealias Port = Comments.Port
extension Port: ScopeDescribable {}

extension Comments {
    static func makingScopes(user: User, handler: Plain) throws {
        let app = try EnvironmentScope("app") { $0.database = try SQLite(path: "notes.db") }
        let request = EnvironmentScope("request", parent: app) { $0.user = user }
        request { handler.run() }
        let test = EnvironmentScope("test", parent: nil) { $0.database = InMemory() }
        let scope = EnvironmentScope.empty("jobs", parent: app).with(\.port, 9090)
        withExtendedLifetime((app, test, scope)) {}
    }

    static let test = EnvironmentScope("test", parent: nil, defaults: .forbidden) { $0.database = InMemory() }

    static func copying(_ app: EnvironmentScope) -> EnvironmentScope {
        let test = EnvironmentScope.empty("test", parent: app).with(\.settings.url, "http://localhost")
        return test
    }

    static func makingScopesLater() async throws {
        let app = try await EnvironmentScope("app") { $0.database = try await Postgres.connect() }
        withExtendedLifetime(app) {}
    }

    static func entering(request: EnvironmentScope, handler: Throwing) throws {
        EnvironmentScope.global { $0.port = 9090 }
        let answer = try request { try handler.run() }
        let port = EnvironmentScope.current.port
        withExtendedLifetime((answer, port)) {}
    }

    static func binding(scope: EnvironmentScope, queue: DispatchQueue, handler: Plain) {
        queue.async(execute: EnvironmentScope.current.bind { handler.run() })
        let parse = scope.bind { (text: String) throws in try Parser().parse(text) }
        withExtendedLifetime(parse) {}
    }

    static func binding(handler: Waiting) {
        Task.detached(operation: EnvironmentScope.current.bind { await handler.run() })
    }

    static func binding(events: Events, handler: EventHandler) async {
        await events.forEach(
            EnvironmentScope.current.bind { event in
                await handler.handle(event)
            }
        )
    }

    static func binding(database: Transactions, note: Note) async throws {
        try await database.transaction(
            EnvironmentScope.current.bind { transaction in
                try await transaction.save(note)
            }
        )
    }

    static func entering(app: EnvironmentScope, request: EnvironmentScope, user: User, handler: Failing) async throws {
        try await request { try await handler.run() }
        try await EnvironmentScope.global { $0.database = try await Postgres.connect() }
        try await app.withChild("request") {
            $0.user = user
        } operation: {
            try await handler.run()
        }
        let (job, connection) = (handler, Connection())
        let (request, span) = (app, Span())
        try await app.withChild("job") { try await job.run() }
        try await app.innermost.withChild("request") {
            $0.user = user
        } operation: {
            try await handler.run()
        }
        let metadata = EnvironmentScope.forLogging.requestID ?? "none"
        print(metadata)
        app.onClose { try await connection.shutdown() }
        request.onClose { span.end() }
        await app.discardBuiltValues()
        await app.discardBuiltValue(for: \.database)
        await app.close()
    }

    static func references(_ app: EnvironmentScope, controller: Service, users: Service, orders: Service) throws {
        let test = EnvironmentScope("test", parent: nil) { $0.mailer = Mailer() }
        test.replaceInValues()
        let service = Service()
        test.replace(in: service)
        test.replace(in: [users, orders])
        test.replace(in: users, orders)
        try app.validateReferences(in: controller, options: .nested)
        try app.validateReferences(in: [users, orders])
        let beta = Injected({ $0.flag("beta") })
        let address = Injected { view in "\(view.host):\(view.port)" }
        withExtendedLifetime((beta, address)) {}
    }

    static func connect(with token: Token) {}

    static func values(app: EnvironmentScope, request: EnvironmentScope, scope: EnvironmentScope) throws {
        scope.port = 9090
        let database = scope.database
        let token = try scope.value(for: \.token)
        connect(with: token)
        if let token = try scope.valueIfAny(for: \.token) { connect(with: token) }
        app[ScopeValues.flag("beta")] = true
        #expect(request.localValue(for: \.database) == nil)
        try app.validate(\.database, \.token)
        try app.validate()
        app.provide(\.database) { try Pool(path: $0.databasePath) }
        app.decorate(\.plugins) { plugins, _ in plugins + [Audit()] }
        app.modify(\.git) { $0.tags = { ["1.0"] } }
        request.removeValue(for: \.user)
        scope.alias(\.primary, to: \.replica)
        let test = EnvironmentScope.empty("test", parent: nil).with(\.port, 9090)
        test.removeAll()
        withExtendedLifetime(database) {}
    }

    static func seeing(app: EnvironmentScope, request: EnvironmentScope, scope: EnvironmentScope, file: URL) throws {
        let logger = Logger()
        do {
            let token = try scope.value(for: \.token)
            connect(with: token)
        } catch {
            logger.error("\(error)")
        }
        print(request.explain(\.database))
        logger.info("\(request.explain(\.database))")
        print(app.graph.mermaid)
        try app.graph.mermaid.write(to: file, atomically: true, encoding: .utf8)
        app.observe { event in logger.debug("\(event)") }
    }

    static func awaiting(_ scope: EnvironmentScope) async throws {
        let connection = try await scope.connection()
        if let connection = scope.connection.valueIfReady { print(connection.statistics) }
        withExtendedLifetime(connection) {}
    }
}
