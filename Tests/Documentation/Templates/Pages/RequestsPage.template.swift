import ScopedInjection
import Testing

nonisolated private struct Request: Sendable {
    var id: String
    var user: User?
}

nonisolated private struct Response: Sendable, Equatable {
    let body: String
    init(_ body: String) { self.body = body }
}

// ⟨Requests.md: static var application⟩ nonisolated

// ⟨Requests.md: struct ScopeMiddleware⟩ private

// ⟨Requests.md: struct NoteHandler⟩ private

@Suite("Documentation: requests")
struct RequestsPage {
    @Test("A handler reads the user, and shares the store")
    func requests() async throws {
        let handler = NoteHandler()
        func serve(_ app: EnvironmentScope) async throws {
            let middleware = ScopeMiddleware(app: app)
            let ada = try await middleware.handle(Request(id: "1", user: User(name: "Ada"))) {
                try await handler.list($0)
            }
            #expect(ada == Response("Ada has live.db"))
            let nobody = try await middleware.handle(Request(id: "2")) { try await handler.list($0) }
            #expect(nobody == Response("Who are you?"))
            #expect(app.explain(\.noteStore).keptIn == "app")
        }
        // ⟨Closing.md 1: try await EnvironmentScope.withScope⟩
    }

    @Test("What a test sets in the application's scope reaches the requests")
    func overrides() async throws {
        func makeApp() -> EnvironmentScope { EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" } }
        let app = makeApp()
        app.databasePath = "test.db"
        let answer = try await ScopeMiddleware(app: app).handle(
            Request(id: "1", user: User(name: "Ada")),
            next: NoteHandler().list
        )
        #expect(answer == Response("Ada has test.db"))
        await app.close()
    }
}
