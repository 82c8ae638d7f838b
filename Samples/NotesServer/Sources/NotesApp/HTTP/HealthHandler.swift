import Hummingbird
import ScopedInjection
import Synchronization

/// Answers `/health`: whether the server and the databases of all tenants can do their work, and how many
/// requests are open, this one among them, and how often a database was opened.
struct HealthHandler: Sendable {
    @Injected(\.tenants) private var tenants
    @Injected(\.openRequests) private var openRequests

    /// Adds the route to a router.
    func addRoutes(to router: some RouterMethods<NotesRequestContext>) {
        router.get("health", use: show)
    }

    private func show(request: Request, context: NotesRequestContext) async throws -> [String: String] {
        for scope in tenants.all { try await scope.value(for: \.noteStore).checkHealth() }
        return [
            "status": "ok", "openRequests": "\(openRequests.count)",
            "databaseOpenings": "\(NotesDatabase.openings.load(ordering: .relaxed))",
        ]
    }
}
