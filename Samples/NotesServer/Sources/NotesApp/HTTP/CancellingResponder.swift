import Hummingbird
import NIOCore
import ScopedInjection

/// Cancels the handling of a request when it takes too long, or when the client has closed its side of the connection and
/// so waits for no answer.
struct CancellingResponder<Base: HTTPResponder>: HTTPResponder where Base.Context == NotesRequestContext {
    let base: Base
    let applicationScope: EnvironmentScope

    func respond(to request: Request, context: NotesRequestContext) async throws -> Response {
        let handling = Task { try await base.respond(to: request, context: context) }
        let timeout = TimeAmount(applicationScope.requestTimeout)
        let deadline = context.channel.eventLoop.scheduleTask(in: timeout) { handling.cancel() }
        defer { deadline.cancel() }
        // There is none where a test sends requests straight to the router.
        let watch = try? await context.channel.pipeline.handler(type: ConnectionWatch.self).get()
        watch?.onClose { handling.cancel() }
        defer { watch?.onClose(nil) }
        return try await withTaskCancellationHandler {
            try await handling.value
        } onCancel: {
            handling.cancel()
        }
    }
}
