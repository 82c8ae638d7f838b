import Hummingbird
import Logging
import ScopedInjection

/// Writes one line to the log for each request answered.
struct RequestLogMiddleware: RouterMiddleware {
    @Injected(\.logger) private var logger

    func handle(
        _ request: Request,
        context: NotesRequestContext,
        next: @concurrent (Request, NotesRequestContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        let scope = EnvironmentScope.current
        logger.info(
            "\(request.method) \(request.uri.path)",
            metadata: [
                "status": "\(response.status.code)",
                "user": "\(scope.userIfAny?.name ?? "-")", "tenant": "\(scope.tenantIfAny?.name ?? "-")",
            ]
        )
        return response
    }
}
