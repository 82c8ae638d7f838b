import HTTPTypes
import Hummingbird
import ScopedInjection

/// Lets only requests through that come with the token of an account.
///
/// The handlers behind it rely on it: they read the user, and what depends on the tenant, and a read of what is not there
/// ends the program.
struct RequireUserMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: NotesRequestContext,
        next: @concurrent (Request, NotesRequestContext) async throws -> Response
    ) async throws -> Response {
        guard EnvironmentScope.current.userIfAny != nil else {
            throw HTTPError(
                .unauthorized,
                headers: [.wwwAuthenticate: "Bearer"],
                message: "The header Authorization must carry the bearer token of an account."
            )
        }
        return try await next(request, context)
    }
}
