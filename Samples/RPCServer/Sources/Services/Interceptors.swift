import GRPCCore
import ScopedInjection

/// Gives each call a scope, which lives until the last message has been written, or the client has gone.
package struct RequestScopes: ServerInterceptor {
    private let app: EnvironmentScope

    /// - Parameter app: The scope of the application.
    package init(of app: EnvironmentScope) { self.app = app }

    package func intercept<Input: Sendable, Output: Sendable>(
        request: StreamingServerRequest<Input>,
        context: ServerContext,
        next: @Sendable (StreamingServerRequest<Input>, ServerContext) async throws -> StreamingServerResponse<Output>
    ) async throws -> StreamingServerResponse<Output> {
        let scope = EnvironmentScope("request", role: .request, parent: app) {
            $0.call = CallContext(request.metadata)
            $0.user = request.metadata.first("authorization").flatMap { [accounts = app.accounts] in accounts[$0] }
        }
        let response = try await scope.closedAfterError {
            guard scope.user != nil else { throw RPCError(code: .unauthenticated, message: "Who are you?") }
            return try await next(request, context)
        }
        guard case .success(var contents) = response.accepted else {
            await scope.close()
            return response
        }
        // What writes the answer runs after this has returned; or never, if the client has gone by then.
        let neverWritten = Task {
            try await context.cancellation.cancelled
            await scope.close()
        }
        contents.producer = { [write = contents.producer] writer in
            neverWritten.cancel()
            let metadata = try await scope.closedAfterError {
                try await endedWithCall(context) { try await write(writer) }
            }
            await scope.close()
            return metadata
        }
        return StreamingServerResponse(accepted: .success(contents))
    }
}

extension EnvironmentScope {
    fileprivate func closedAfterError<R: Sendable>(_ operation: @Sendable () async throws -> R) async throws -> R {
        do { return try await self { try await operation() } } catch {
            await close()
            throw error
        }
    }
}

/// Cancels an operation when its call is cancelled, which gRPC does not do: the client has gone, or its deadline has passed.
private func endedWithCall<R: Sendable>(
    _ context: ServerContext,
    _ operation: @escaping @Sendable () async throws -> R
) async throws -> R {
    try await withThrowingTaskGroup { group in
        group.addTask(operation: operation)
        group.addTask {
            try await context.cancellation.cancelled
            throw RPCError(code: .cancelled, message: "The client has gone.")
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw CancellationError() }
        return result
    }
}

/// Lets a call that is made for a request have the request's identifier, trace, deadline and user.
package struct CallsOfRequests: ClientInterceptor {
    private let call = Injected(\.call)

    package init() {}

    package func intercept<Input: Sendable, Output: Sendable>(
        request: StreamingClientRequest<Input>,
        context: ClientContext,
        next: (StreamingClientRequest<Input>, ClientContext) async throws -> StreamingClientResponse<Output>
    ) async throws -> StreamingClientResponse<Output> {
        var request = request
        call()?.write(into: &request.metadata)
        return try await next(request, context)
    }
}
