package import Hummingbird
import HummingbirdCore
package import NIOCore
package import ScopedInjection

/// Puts the server together.
///
/// - Parameters:
///   - scope: the application's scope
///   - configuration: where the server listens
///   - addRoutes: adds further routes, behind the same middleware
///   - onServerRunning: called once it listens
/// - Throws: ``StartError`` where the scope cannot give what the handlers need, so that this is found out before the first
///   request
package func makeNotesApplication(
    in scope: EnvironmentScope,
    configuration: ApplicationConfiguration = ApplicationConfiguration(),
    addRoutes: (Router<NotesRequestContext>) -> Void = { _ in },
    onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
) async throws -> some ApplicationProtocol {
    try await scope.checkAtStart()

    let router = Router(context: NotesRequestContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: RequestScopeMiddleware(applicationScope: scope))
    router.add(middleware: RequestLogMiddleware())
    router.add(middleware: RequestMetricsMiddleware())
    router.add(middleware: ErrorMiddleware())
    router.add(middleware: TransactionMiddleware())
    HealthHandler().addRoutes(to: router)
    NoteHandlers().addRoutes(to: router)
    addRoutes(router)

    return Application(
        responder: CancellingResponder(base: router.buildResponder(), applicationScope: scope),
        server: .http1(
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [ConnectionWatch()],
                // A client that stops in the middle of a request does not hold its connection for ever.
                idleTimeout: .seconds(60)
            )
        ),
        configuration: configuration,
        // Stopped after the server, so that what the last requests have started is done.
        services: [scope.backgroundWork, RetentionJob(in: scope)],
        onServerRunning: onServerRunning,
        logger: scope.logger
    )
}
