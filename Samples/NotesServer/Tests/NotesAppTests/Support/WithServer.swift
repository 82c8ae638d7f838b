import HummingbirdTesting
import Logging
import NotesApp
import ScopedInjection

/// Runs a test against a server of its own, in a scope of its own, with a database of its own in memory.
///
/// - Parameters:
///   - setup: whether requests go straight to the router or over a connection
///   - configure: what the test sets otherwise than this
///   - test: what is done with the server
func withServer(
    _ setup: TestingSetup = .router,
    configure: (EnvironmentScope) throws -> Void = { _ in },
    test: @Sendable (NotesClient) async throws -> Void
) async throws {
    let scope = try EnvironmentScope("test", parent: nil) { scope in
        scope.databasePath = ":memory:"
        scope.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        try configure(scope)
    }
    do {
        try await makeNotesApplication(in: scope).test(setup) { try await test(NotesClient(http: $0)) }
    } catch {
        await scope.close()
        throw error
    }
    await scope.close()
}
