package import Hummingbird
import Instrumentation
package import ScopedInjection

extension ResponseBody {
    /// Writes the body in a scope, which is closed after the last byte, when the client has gone away, and if nobody writes it.
    package func written(in scope: EnvironmentScope) -> ResponseBody {
        let closing = Closing(scope)
        return ResponseBody(contentLength: contentLength) { writer in
            let scope = closing.scope
            let writer = writer
            do {
                try await scope {
                    try await ServiceContext.$current.withValue(scope.serviceContext) { try await self.write(writer) }
                }
            } catch {
                await scope.close()
                throw error
            }
            await scope.close()
        }
    }
}

/// Closes a scope when nobody can write the body any more.
private final class Closing: Sendable {
    let scope: EnvironmentScope

    init(_ scope: EnvironmentScope) { self.scope = scope }

    deinit {
        if !scope.isClosed { Task { [scope] in await scope.close() } }
    }
}
