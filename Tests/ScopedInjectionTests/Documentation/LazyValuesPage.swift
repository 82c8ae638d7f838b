import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var greeting: ScopeValue<String> {
        .lazy { "\(try $0.user?.name ?? "nobody"), 0 notes in \(try $0.noteStore.database.path)" }
    }
}

struct Limits: Sendable { var connections = 5 }

actor Pool {
    let size: Int
    private(set) var isShutDown = false
    init(size: Int) { self.size = size }
    func shutdown() { isShutDown = true }
}

extension ScopeValues {
    static var limits: ScopeValue<Limits> { .value(Limits()) }
    static var pool: ScopeValue<Pool> {
        .lazy {
            let pool = Pool(size: try $0.limits.connections)
            $0.onClose { await pool.shutdown() }
            return pool
        }
    }
}

private actor Connection {
    let path: String
    private(set) var isOpen = true

    private init(_ path: String) { self.path = path }

    static func open(_ path: String) async throws -> Connection { Connection(path) }

    func close() { isOpen = false }
}

extension ScopeValues {
    fileprivate static var connection: ScopeValue<Deferred<Connection>> {
        .lazy {
            let path = try $0.databasePath
            return $0.deferred {
                try await Connection.open(path)
            } onClose: {
                await $0.close()
            }
        }
    }
}

@Suite("Documentation: lazily built values")
struct LazyValuesPage {
    @Test("Values are where the pictures show them")
    func placement() {
        let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" }
        let first = EnvironmentScope.empty("first", parent: app)
        let second = EnvironmentScope.empty("second", parent: app)
        #expect(second.noteStore === first.noteStore)
        #expect(app.explain(\.noteStore).keptIn == "app")

        second.databasePath = "copy.db"
        #expect(second.noteStore.database.path == "copy.db")
        #expect(first.noteStore === app.noteStore)

        second.removeValue(for: \.databasePath)
        #expect(second.noteStore === app.noteStore)

        first.user = User(name: "Ada")
        #expect(first.greeting == "Ada, 0 notes in live.db")
        #expect(first.explain(\.greeting).keptIn == "first")
        #expect(first.explain(\.noteStore).keptIn == "app")

        app.provide(\.database) { try SQLite(path: "new \($0.databasePath)") }
        #expect(first.noteStore.database.path == "new live.db")
    }

    @Test("A value is cleaned up when another is built in its place")
    func replaced() async {
        let app = EnvironmentScope.empty("app", parent: nil)
        let pool = app.pool
        app.limits = Limits(connections: 20)
        #expect(app.pool !== pool)
        await app.close()
        #expect(await pool.isShutDown)
    }

    @Test("A value whose making waits is made once, and closed with the scope that keeps it")
    func deferred() async throws {
        let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" }
        let first = EnvironmentScope.empty("first", parent: app)
        let second = EnvironmentScope.empty("second", parent: app)
        #expect(first.connection.valueIfReady == nil)
        let connection = try await first.connection()
        #expect(try await second.connection() === connection)
        #expect(first.connection.valueIfReady === connection)

        await app.close()
        #expect(await !connection.isOpen)
    }
}
