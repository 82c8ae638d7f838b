import ScopedInjection
import Testing

nonisolated private final class Store: Sendable {
    let path: String
    init(path: String) { self.path = path }
}

nonisolated private struct Request: Sendable {
    let tenant: String
    let user: User?
}

nonisolated private struct Response: Sendable {
    let body: String
    init(_ body: String) { self.body = body }
}

nonisolated extension ScopeValues {
    fileprivate static var names: ScopeValue<[String]> { .required() }
    fileprivate static var folder: ScopeValue<String> { .value("live") }
}

// ⟨Tenants.md: extension ScopeRole⟩ nonisolated private

private struct TenantMiddleware {
    let app: EnvironmentScope

    func handle(_ request: Request, next: (Request) async throws -> Response) async throws -> Response {
        // ⟨Tenants.md: guard let tenant⟩
    }
}

@Suite("Documentation: a scope for each tenant")
struct TenantsPage {
    private let app = EnvironmentScope("app", role: .application, parent: nil) { $0.names = ["north", "south"] }

    private func get(_ tenant: String) async throws -> String {
        try await TenantMiddleware(app: app).handle(Request(tenant: tenant, user: User(name: "Ada"))) { _ in
            Response(EnvironmentScope.current.store.path)
        }.body
    }

    @Test("What a test sets in a tenant's scope, its requests read, and no others")
    func overrides() async throws {
        // ⟨Tenants.md: app.folder⟩
        #expect(try await get("west") == "Who are you?")
        await app.close()
    }

    @Test("The requests of a tenant share its store; a closing closes tenants that keep something to end")
    func closing() async throws {
        for tenant in ["north", "south", "north"] { #expect(try await get(tenant) == "live/\(tenant).db") }
        let scopes = try ["north", "south"].map { try #require(app.tenants[$0]) }
        #expect(scopes.allSatisfy { $0.localValue(for: \.store) != nil })
        #expect(app.localValue(for: \.store) == nil)
        scopes[0].onClose {}
        await app.close()
        #expect(scopes.map(\.isClosed) == [true, false])
    }
}
