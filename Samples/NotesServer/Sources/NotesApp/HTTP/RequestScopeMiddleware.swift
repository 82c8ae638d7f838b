import HTTPTypes
import Hummingbird
import Logging
import ScopedInjection

/// Gives each request a scope of its own, a child of the application's, and runs the rest of the handling in it.
///
/// The application's scope is passed in rather than taken from the task the server runs in, so that what a request sees
/// is decided where the application is put together, not by how the server makes its tasks.
struct RequestScopeMiddleware: RouterMiddleware {
    let applicationScope: EnvironmentScope

    func handle(
        _ request: Request,
        context: NotesRequestContext,
        next: @concurrent (Request, NotesRequestContext) async throws -> Response
    ) async throws -> Response {
        let requestID = request.headers[.requestID].flatMap(RequestID.init(rawValue:)) ?? RequestID()
        return try await applicationScope.withChild("request") { scope in
            scope.requestID = requestID
            scope.user = request.headers[.user].flatMap(User.init(name:))
            // Changes a copy of the application's logger, and sets that in this scope.
            scope.logger[metadataKey: "request-id"] = "\(requestID)"
        } operation: {
            var response = try await next(request, context)
            response.headers[.requestID] = requestID.rawValue
            return response
        }
    }
}
