import HTTPTypes
import Hummingbird
import Instrumentation
import Logging
import ScopedInjection

/// Gives each request a scope of its own, a child of its tenant's, and runs the rest of the handling in it.
///
/// A request that nobody is known to have made gets a child of the application's scope, in which there is no user and no
/// database.
///
/// Where the body is streamed, which is then written after the handler has returned, the scope lives until its end. What
/// asks for events is a connection, and no request.
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
        let openRequests = applicationScope.openRequests
        let role = request.isForEvents ? ScopeRole.connection : .request
        let scope = EnvironmentScope("request", role: role, parent: parent) { scope in
            openRequests.begin()
            scope.onClose { openRequests.end() }
            scope.requestID = requestID
            if let account { scope.user = account.user }
            scope.serviceContext = request.serviceContext(readBy: scope.instrument)
        }
        do {
            var response = try await scope {
                // Libraries that know nothing of scopes look for the trace here.
                try await ServiceContext.$current.withValue(scope.serviceContext) {
                    try await next(request, context)
                }
            }
            response.headers[.requestID] = requestID.rawValue
            response.headers[.user] = scope.userIfAny?.name
            response.headers[.tenant] = scope.tenantIfAny?.name
            // Of what is streamed nobody knows the length.
            if response.body.contentLength == nil {
                response.body = response.body.written(in: scope)
            } else {
                await scope.close()
            }
            return response
        } catch {
            await scope.close()
            throw error
        }
    }
}
