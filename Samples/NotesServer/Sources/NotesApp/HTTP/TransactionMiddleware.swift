import Hummingbird
import ScopedInjection

/// Commits what a request has written once its handler has succeeded, and before it is answered.
///
/// A handler that throws does not come by here, nor does one that is cancelled; its work is taken back when the request's scope
/// is closed.
struct TransactionMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: NotesRequestContext,
        next: @concurrent (Request, NotesRequestContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        try await EnvironmentScope.current.commitTransaction()
        return response
    }
}
