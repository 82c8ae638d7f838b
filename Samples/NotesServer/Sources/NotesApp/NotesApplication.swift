package import Hummingbird
import HummingbirdCore
import NIOCore
package import ScopedInjection

/// Puts the server together.
///
/// - Parameters:
///   - scope: the application's scope, to which the scope of each request is a child
///   - configuration: where the server listens
/// - Throws: an error where the scope cannot give what the handlers need, a database that cannot be opened above all, so
///   that this is found out before the first request
package func makeNotesApplication(
    in scope: EnvironmentScope,
    configuration: ApplicationConfiguration = ApplicationConfiguration()
) throws -> some ApplicationProtocol {
    try scope.validate(LoggerKey.self, NoteStoreKey.self)

    let router = Router(context: NotesRequestContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: RequestScopeMiddleware(applicationScope: scope))
    router.add(middleware: RequestLogMiddleware())
    router.add(middleware: ErrorMiddleware())
    HealthHandler().addRoutes(to: router)
    NoteHandlers().addRoutes(to: router)

    return Application(
        router: router,
        // A client that stops in the middle of a request does not hold its connection for ever.
        server: .http1(configuration: HTTP1Channel.Configuration(idleTimeout: .seconds(60))),
        configuration: configuration,
        logger: scope.logger
    )
}
