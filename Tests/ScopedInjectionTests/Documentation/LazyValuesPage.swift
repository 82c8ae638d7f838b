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
}
