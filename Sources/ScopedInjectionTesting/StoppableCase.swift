import ScopedInjection

/// Runs a case so that a read that can neither throw nor return stops this case alone, while the other tests go on.
///
/// Such a read waits until the process ends: its thread is lost, and with it all that the case holds. So cases run on
/// ``CaseThreads``, which replace a lost thread. Only the case's own task can be stopped, and only on such a thread.
/// The main thread cannot be replaced. An actor that ran the stopped code would be blocked for all who await it. If a task
/// that the case has started were stopped, the rest of the case would go on.
final class StoppableCase: Sendable {
    private let state = Guarded(State())

    private struct State: Sendable {
        var end = End.awaited(nil)
        /// What the case's own task is known by.
        var task: Int?
    }

    /// Who waits for the end of the case, or how it ended: either may come first.
    private enum End {
        case awaited(CheckedContinuation<Result<Void, any Error>, Never>?)
        case came(Result<Void, any Error>)
    }

    /// Thrown by `run` where the case was stopped.
    struct Stopped: Error {}

    /// Runs a case to its end, or until it is stopped.
    func run(_ body: @concurrent @Sendable () async throws -> Void) async throws {
        try await withoutActuallyEscaping(body) { body in
            let task = Task(executorPreference: CaseThreads.shared) {
                self.state.withLock { [task = Self.currentTask] in $0.task = task }
                try await body()
            }
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    self.resume(continuation)
                    // The task has let go of the body when its result is there.
                    Task { self.end(await task.result) }
                }
            } onCancel: {
                task.cancel()
            }
            if case .failure(is Stopped) = result { AbandonedBody.release(body) }
            try result.get()
        }
    }

    /// Resumes a continuation when the case has ended.
    private func resume(_ continuation: CheckedContinuation<Result<Void, any Error>, Never>) {
        let result: Result<Void, any Error>? = state.withLock { state in
            if case .came(let result) = state.end { return result }
            state.end = .awaited(continuation)
            return nil
        }
        if let result { continuation.resume(returning: result) }
    }

    private func end(_ result: Result<Void, any Error>) {
        let continuation: CheckedContinuation<Result<Void, any Error>, Never>? = state.withLock { state in
            guard case .awaited(let continuation) = state.end else { return nil }
            state.end = .came(result)
            return continuation
        }
        continuation?.resume(returning: result)
    }

    /// Whether the calling code can be stopped.
    var canStop: Bool {
        CaseThreads.shared.canLoseThis && Self.currentTask != nil && Self.currentTask == runningTask
            && !RunningActor.isKnown
    }

    /// The case's own task until its end; afterwards another task may look like it.
    private var runningTask: Int? {
        state.withLock { state in
            if case .awaited = state.end { state.task } else { nil }
        }
    }

    /// Stops the case, whose own task calls this.
    ///
    /// The case's other tasks and its cleanups may wait for a value that this thread builds.
    func stop(for error: ScopeError) -> Never {
        EnvironmentScope.abandonBuilds(for: error)
        end(.failure(Stopped()))
        CaseThreads.shared.loseThis()
    }

    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}

/// The body of a case that was stopped.
private struct AbandonedBody {
    private let body: @concurrent @Sendable () async throws -> Void

    /// Lets go of a body on behalf of a task that never will.
    ///
    /// `withoutActuallyEscaping` ends the process where somebody still holds the body when it returns. The stopped task
    /// holds it, but never runs again, so that nothing uses what it refers to. If closures had another layout, nothing
    /// would be let go of here, and the process would end, as it does where a case cannot be stopped.
    static func release(_ body: @escaping @concurrent @Sendable () async throws -> Void) {
        guard MemoryLayout<AbandonedBody>.size == MemoryLayout<(UInt, UInt)>.size else { return }
        let context = unsafeBitCast(AbandonedBody(body: body), to: (UInt, UInt).self).1
        guard let address = UnsafeRawPointer(bitPattern: context) else { return }
        let object = Unmanaged<AnyObject>.fromOpaque(address)
        // One of the two that are left is this call's own.
        while _getRetainCount(object.takeUnretainedValue()) > 2 { object.release() }
    }
}
