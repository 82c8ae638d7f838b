import Hummingbird
import ScopedInjection

struct RequestScopes: RouterMiddleware {
    let app: EnvironmentScope

    func handle(
        _ request: Request,
        context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        try await app.withChild("request", role: .request) {
            $0.visitor = request.uri.queryParameters.get("name")
        } operation: {
            try await next(request, context)
        }
    }
}
