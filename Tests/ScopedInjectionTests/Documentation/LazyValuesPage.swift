import ScopedInjection
import Testing

private enum DatabaseKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> any Database {
        try SQLite(path: scope.value(for: DatabasePathKey.self))
    }
}

private enum NoteStoreKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> NoteStore {
        NoteStore(database: try scope.value(for: DatabaseKey.self))
    }
}

private enum GreetingKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> String {
        "\(scope.user?.name ?? "nobody"), 0 notes in \(scope.noteStore.database.path)"
    }
}

private final class RequestID: Sendable {}

private enum RequestIDKey: ScopeKey {
    static let lifetime = ValueLifetime.scoped
    static func makeValue(in scope: EnvironmentScope) -> RequestID { RequestID() }
}

extension EnvironmentScope {
    fileprivate var noteStore: NoteStore { self[NoteStoreKey.self] }
}

@Suite("Documentation: lazily built values")
struct LazyValuesPage {
    @Test("Values are where the pictures show them")
    func placement() {
        let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" }
        let first = EnvironmentScope.empty("first", parent: app)
        let second = EnvironmentScope.empty("second", parent: app)
        #expect(second.noteStore === first.noteStore)
        #expect(app.explain(NoteStoreKey.self).keptIn == "app")

        second.databasePath = "copy.db"
        #expect(second.noteStore.database.path == "copy.db")
        #expect(first.noteStore === app.noteStore)

        second.removeValue(for: DatabasePathKey.self)
        #expect(second.noteStore === app.noteStore)

        first.user = User(name: "Ada")
        #expect(first[GreetingKey.self] == "Ada, 0 notes in live.db")
        #expect(first.explain(GreetingKey.self).keptIn == "first")
        #expect(first.explain(NoteStoreKey.self).keptIn == "app")

        app.provide(DatabaseKey.self) { scope in
            try SQLite(path: "copy of \(scope.value(for: DatabasePathKey.self))")
        }
        #expect(first.noteStore.database.path == "copy of live.db")
    }

    @Test("A scoped value is one for each scope that asks")
    func scoped() {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        #expect(request[RequestIDKey.self] !== app[RequestIDKey.self])
        #expect(request[RequestIDKey.self] === request[RequestIDKey.self])
    }
}
