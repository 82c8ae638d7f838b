import Logging
import ScopedInjection
import ServiceLifecycle

/// Runs work that outlives the request that starts it, each in a scope of its own.
///
/// A few pieces of work run at a time and some thousands wait; what is more than that is refused, because a queue that grows
/// without end only delays the failure. When the server stops, what waits is done first. What must not be
/// lost when the machine is belongs in the database or a broker instead.
package final class BackgroundWork: Service {
    private typealias Job = @Sendable () async -> Void

    private let jobs: AsyncStream<Job>
    private let queue: AsyncStream<Job>.Continuation
    private let atATime: Int

    package init(atATime: Int = 16, waiting: Int = 10_000) {
        self.atATime = atATime
        (jobs, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(waiting))
    }

    /// Starts work on behalf of a request, which need not wait for it.
    ///
    /// The work's scope is a child of the tenant's and not of the request's, which is closed by then. What the request
    /// has to hand over is copied: its id, user, trace and logger. The work has a transaction of its own,
    /// which is committed when it succeeds.
    ///
    /// - Parameters:
    ///   - name: what the work is called in the log
    ///   - origin: what is taken over from the request, see ``RequestOrigin``
    ///   - operation: the work, in its scope
    package func start(
        _ name: String,
        for origin: RequestOrigin,
        operation: @escaping @Sendable () async throws -> Void
    ) {
        let result = queue.yield {
            do {
                try await origin.withChild(name, operation: operation)
            } catch {
                origin.logger.error("background work failed", metadata: ["work": "\(name)", "error": "\(error)"])
            }
        }
        guard case .enqueued = result else {
            origin.logger.error("background work refused", metadata: ["work": "\(name)"])
            return
        }
    }

    /// Runs what is started until the server stops, then what still waits.
    package func run() async {
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                var running = 0
                for await job in jobs {
                    if running == atATime {
                        await group.next()
                        running -= 1
                    }
                    group.addTask { await job() }
                    running += 1
                }
            }
        } onGracefulShutdown: {
            self.queue.finish()
        }
    }
}
