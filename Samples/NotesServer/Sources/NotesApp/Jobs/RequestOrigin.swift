import Instrumentation
package import Logging
package import ScopedInjection

/// What work that outlives a request takes over from it: the tenant's scope, and copies of what tells the request from
/// others.
package struct RequestOrigin: Sendable {
    private let tenantScope: EnvironmentScope
    private let requestID: RequestID?
    private let user: User
    private let serviceContext: ServiceContext
    package let logger: Logger

    /// Takes them from the scope of a request that is authenticated.
    package init(_ request: EnvironmentScope) {
        tenantScope = request.tenants[request.tenant]
        requestID = request.requestID
        user = request.user
        serviceContext = request.serviceContext
        logger = request.logger
    }

    /// Runs an operation in a scope that has these values, and commits what it writes.
    func withChild(_ name: String, operation: () async throws -> Void) async throws {
        try await tenantScope.withChild(name, role: .request) { scope in
            scope.requestID = requestID
            scope.user = user
            scope.serviceContext = serviceContext
            scope.logger = logger
            scope.logger[metadataKey: "work"] = "\(name)"
        } operation: {
            try await operation()
            try await EnvironmentScope.current.commitTransaction()
        }
    }
}
