import ScopedInjection
import Synchronization
import Testing

private struct Client: Sendable {
    let host: String
    let tenant: String
}

extension ScopeValues {
    fileprivate static var client: ScopeValue<@Sendable (String) -> Client> {
        .lazy {
            let host = try $0.host
            return { tenant in Client(host: host, tenant: tenant) }
        }
    }
}

private protocol Plugin: Sendable { var name: String { get } }

private struct Audit: Plugin {
    let path: String
    var name: String { "audit of \(path)" }
}

private struct Metrics: Plugin { let name = "metrics" }

extension ScopeValues {
    fileprivate static var plugins: ScopeValue<[any Plugin]> { .value([]) }
}

private func installAudit(in app: EnvironmentScope) {
    app.decorate(\.plugins) { plugins, reader in
        plugins + [Audit(path: try reader.databasePath)]
    }
}

private func installMetrics(in app: EnvironmentScope) {
    app.decorate(\.plugins) { plugins, _ in plugins + [Metrics()] }
}

private final class Tagged: Database {
    let path: String
    init(_ database: any Database, tag: String) { path = "\(database.path) for \(tag)" }
}

private final class Repository<Entity>: Sendable {
    let database: any Database
    init(database: any Database) { self.database = database }
}

extension ScopeValues {
    fileprivate static func repository<Entity>(of _: Entity.Type) -> ScopeValue<Repository<Entity>> {
        .lazy(id: ObjectIdentifier(Entity.self)) {
            Repository(database: try $0.database)
        }
    }
}

private struct UserHandler {
    @Injected({ $0.repository(of: User.self) }) var users
}

extension ScopeValues {
    fileprivate static var search: ScopeValue<String> {
        .lazy { try $0[ScopeValues.flag("index")] ? "index" : "scan" }
    }
}

private final class WhileHeld<Object: AnyObject & Sendable>: Sendable {
    private struct Weak { weak var object: Object? }
    private let held = Mutex(Weak())
    private let make: @Sendable () -> Object

    init(_ make: @escaping @Sendable () -> Object) { self.make = make }

    func callAsFunction() -> Object {
        held.withLock {
            let object = $0.object ?? make()
            $0.object = object
            return object
        }
    }
}

extension ScopeValues {
    fileprivate static var cache: ScopeValue<WhileHeld<NoteStore>> {
        .lazy {
            let database = try $0.database
            return WhileHeld { NoteStore(database: database) }
        }
    }
}

@Suite("Documentation: recipes for values")
struct RecipesValuesPage {
    let app = EnvironmentScope.empty("app", parent: nil)
    let request: EnvironmentScope

    init() { request = EnvironmentScope("request", parent: app) { $0.requestID = "7" } }

    @Test("A function takes parameters when the value is read")
    func parameters() {
        #expect(app.client("north").tenant == "north")
        #expect(app.client("north").host == "localhost")
    }

    @Test("Each module adds a plugin")
    func plugins() {
        installAudit(in: app)
        installMetrics(in: app)
        #expect(request.plugins.map(\.name) == ["audit of notes.db", "metrics"])
    }

    @Test("A decoration wraps what is there, where it was made")
    func wrapping() {
        request.decorate(\.database) { database, reader in
            Tagged(database, tag: try reader.requestID ?? "none")
        }
        #expect(request.database.path == "notes.db for 7")
        #expect(app.database.path == "notes.db")
    }

    @Test("A generic function is one value for each type")
    func families() {
        let handler = UserHandler()
        #expect(app { handler.users } === app[ScopeValues.repository(of: User.self)])
        #expect(app { handler.users } !== app[ScopeValues.repository(of: Token.self)])
    }

    @Test("A flag that a request sets is the request's")
    func flags() {
        request[ScopeValues.flag("index")] = true
        #expect(request.search == "index")
        #expect(app.search == "scan")
    }

    @Test("A value goes with the last one who holds it")
    func whileHeld() {
        weak var gone: NoteStore?
        do {
            let cache = app.cache()
            #expect(request.cache() === cache)
            gone = cache
        }
        #expect(gone == nil)
    }
}
