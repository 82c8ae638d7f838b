import Hummingbird
import ScopedInjection

/// Answers `/health`: whether the server and its database can do their work.
struct HealthHandler: Sendable {
    @Injected(\.noteStore) private var store

    /// Adds the route to a router.
    func addRoutes(to router: some RouterMethods<NotesRequestContext>) {
        router.get("health", use: show)
    }

    private func show(request: Request, context: NotesRequestContext) async throws -> [String: String] {
        try await store.checkHealth()
        return ["status": "ok"]
    }
}
