import Hummingbird
import HummingbirdTesting
import NotesApp
import ScopedInjection

/// A handler of a test's own.
typealias ProbeHandler = @Sendable (Request, NotesRequestContext) async throws -> String

/// Runs a test against a server of its own, in a scope of its own, with databases of its own in memory.
///
/// - Parameters:
///   - setup: whether requests go straight to the router or over a connection
///   - configure: what the test sets otherwise than ``makeTestScope(accounts:configure:)``
///   - probe: answers `POST /probe`, behind the middleware of the server
///   - addRoutes: adds more routes, behind the same middleware
///   - test: what is done with the server
func withServer(
    _ setup: TestingSetup = .router,
    configure: (EnvironmentScope) -> Void = { _ in },
    probe: @escaping ProbeHandler = { _, _ in "" },
    addRoutes: (Router<NotesRequestContext>) -> Void = { _ in },
    test: @Sendable (NotesClient) async throws -> Void
) async throws {
    try await withServer(setup, in: makeTestScope(configure: configure), probe: probe, addRoutes: addRoutes, test: test)
}

/// Runs a test against a server in a scope, and closes the scope.
func withServer(
    _ setup: TestingSetup = .router,
    in scope: EnvironmentScope,
    probe: @escaping ProbeHandler = { _, _ in "" },
    addRoutes: (Router<NotesRequestContext>) -> Void = { _ in },
    test: @Sendable (NotesClient) async throws -> Void
) async throws {
    do {
        let application = try await makeNotesApplication(in: scope) { router in
            router.post("probe", use: probe)
            addRoutes(router)
        }
        try await application.test(setup) { try await test(NotesClient(http: $0)) }
    } catch {
        await scope.close()
        throw error
    }
    await scope.close()
}
