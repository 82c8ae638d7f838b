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
///   - test: what is done with the server
func withServer(
    _ setup: TestingSetup = .router,
    configure: (EnvironmentScope) -> Void = { _ in },
    probe: @escaping ProbeHandler = { _, _ in "" },
    test: @Sendable (NotesClient) async throws -> Void
) async throws {
    try await withServer(setup, in: makeTestScope(configure: configure), probe: probe, test: test)
}

/// Runs a test against a server in a scope, and closes the scope.
func withServer(
    _ setup: TestingSetup = .router,
    in scope: EnvironmentScope,
    probe: @escaping ProbeHandler = { _, _ in "" },
    test: @Sendable (NotesClient) async throws -> Void
) async throws {
    do {
        try await makeNotesApplication(in: scope, addRoutes: { $0.post("probe", use: probe) }).test(setup) {
            try await test(NotesClient(http: $0))
        }
    } catch {
        await scope.close()
        throw error
    }
    await scope.close()
}
