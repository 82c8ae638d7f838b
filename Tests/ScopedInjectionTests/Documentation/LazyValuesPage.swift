import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let noteStore = ScopeValue { scope in NoteStore(database: scope.database) }
}

extension ScopeValues {
    fileprivate static let greeting = ScopeValue { scope in
        "\(scope.user?.name ?? "nobody"), 0 notes in \(scope.noteStore.database.path)"
    }
}

private final class RequestID: Sendable {}

extension ScopeValues {
    fileprivate static let requestID = ScopeValue(.scoped) { _ in RequestID() }
}

extension ScopeValues {
    fileprivate static let paths = ScopeValue(["notes.db"])
}

extension NoteStore {
    fileprivate static func warmUp(_ path: String) async -> String { path }
}

extension ScopeValues {
    fileprivate static let warmUp = ScopeValue { scope in
        let path = scope.databasePath
        return Task { await NoteStore.warmUp(path) }
    }
}

private actor Connection {
    let path: String
    private(set) var isOpen = true

    private init(_ path: String) { self.path = path }

    static func open(_ path: String) async throws -> Connection { Connection(path) }
    static func openCurrent() async throws -> Connection { Connection(EnvironmentScope.current.databasePath) }

    func close() { isOpen = false }
}

extension ScopeValues {
    fileprivate static let connection = ScopeValue<Deferred<Connection>> { scope in
        let path = scope.databasePath
        return Deferred {
            let connection = try await Connection.open(path)
            scope.onClose { await connection.close() }
            return connection
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

        app.provide(\.database) { scope in
            try SQLite(path: "copy of \(scope.value(for: \.databasePath))")
        }
        #expect(first.noteStore.database.path == "copy of live.db")

        app.provide(\.paths) { scope in try scope.inherited(\.paths) + ["app.db"] }
        first.provide(\.paths) { scope in try scope.inherited(\.paths) + ["first.db"] }
        #expect(first.paths == ["notes.db", "app.db", "first.db"])
        #expect(second.paths == ["notes.db", "app.db"])
    }

    @Test("A scoped value is one for each scope that asks")
    func scoped() {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        #expect(request.requestID !== app.requestID)
        #expect(request.requestID === request.requestID)
    }

    @Test("A builder hands to a task what it has read")
    func task() async {
        let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" }
        let first = EnvironmentScope.empty("first", parent: app)
        #expect(await first.warmUp.value == "live.db")
        #expect(first.explain(\.warmUp).keptIn == "app")
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

    @Test("A run that enters the builder's scope reads in the scope that keeps the value")
    func bound() async throws {
        let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" }
        let first = EnvironmentScope.empty("first", parent: app)
        app.provide(\.connection) { scope in
            Deferred { try await scope { try await Connection.openCurrent() } }
        }
        #expect(try await first.connection().path == "live.db")
        #expect(app.explain(\.connection).keptIn == "app")
    }
}
