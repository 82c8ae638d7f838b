import HTTPTypes
import Hummingbird
import Instrumentation
import Logging
import ScopedInjection

/// Gives each request a scope of its own, a child of its tenant's, and runs the rest of the handling in it.
///
/// A request that nobody is known to have made gets a child of the application's scope, in which there is no user and no
/// database.
struct RequestScopeMiddleware: RouterMiddleware {
    let applicationScope: EnvironmentScope

    func handle(
        _ request: Request,
        context: NotesRequestContext,
        next: @concurrent (Request, NotesRequestContext) async throws -> Response
    ) async throws -> Response {
        let requestID = request.requestID
        let account = request.bearerToken.flatMap { applicationScope.accounts.account(forToken: $0) }
        let parent = account.map { applicationScope.tenants[$0.tenant] } ?? applicationScope
        // A test's scope around one request lies below, and is the parent then.
        return try await parent.innermost.withChild("request") { scope in
            scope.requestID = requestID
            if let account { scope.user = account.user }
            scope.serviceContext = request.serviceContext(readBy: scope.instrument)
            // Changes a copy of the application's logger, and sets that in this scope.
            scope.logger[metadataKey: "request-id"] = "\(requestID)"
            scope.provideTransaction()
        } operation: {
            let scope = EnvironmentScope.current
            // Libraries that know nothing of scopes look for the trace here.
            var response = try await ServiceContext.$current.withValue(scope.serviceContext) {
                try await next(request, context)
            }
            response.headers[.requestID] = scope.requestID?.rawValue
            response.headers[.user] = scope.userIfAny?.name
            response.headers[.tenant] = scope.tenantIfAny?.name
            return response
        }
    }
}
