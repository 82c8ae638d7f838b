/// One run that makes a deferred value, and the tasks that wait for it.
///
/// The run goes on even if no task waits. No user code is called, and no task is resumed, under the lock.
final class DeferredRun<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var waiting: [UInt: CheckedContinuation<Value, any Error>] = [:]
        var lastTicket: UInt = 0
        var outcome: Result<Value, any Error>?
        var task: Task<Void, Never>?
        var priority: TaskPriority
    }

    private let state: Guarded<State>
    /// The run's place among those that wait for each other.
    private let place: RunPlace

    init(_ place: RunPlace) {
        self.place = place
        state = Guarded(State(priority: Task.currentPriority))
    }

    /// Starts the run in a task of its own, which has no task-locals of the first task that waits.
    func start(
        _ make: @escaping @Sendable () async throws -> Value,
        _ end: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let priority = state.withLock { $0.priority }
        let pause = Pause.beforeMaking
        let task = Task.detached(priority: priority) { [place] in  // fault: deferred-detached
            assert(Pause.at(pause))
            await RunPlace.$current.withValue(place) {
                do {
                    // The scope that it reads in may be gone with the deferred value.
                    try Task.checkCancellation()  // fault: deferred-cancelled
                    end(.success(try await make()))
                } catch {
                    end(.failure(error))
                }
            }
        }
        let wanted = state.withLock { state in
            state.task = task
            return state.priority
        }
        task.raise(from: priority, to: wanted)
    }

    func cancel() { state.withLock { $0.task }?.cancel() }

    /// Passes the outcome to all waiting tasks.
    func finish(_ outcome: Result<Value, any Error>) {
        let waiting = state.withLock { state in
            state.outcome = outcome
            defer { state.waiting = [:] }
            return state.waiting
        }
        place.end()
        for continuation in waiting.values { continuation.resume(with: outcome) }
    }

    // MARK: Waiting

    /// Waits for the outcome, unless the calling task is cancelled.
    nonisolated(nonsending) func value() async throws -> Value {
        let wait = try place.isAwaited()
        defer { RunPlace.end(wait) }
        raise(to: Task.currentPriority)
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { join(ticket, $0) }
        } onCancel: {
            leave(ticket)  // fault: deferred-left
        }
    }

    private func join(_ ticket: UInt, _ continuation: CheckedContinuation<Value, any Error>) {
        let outcome = state.withLock { state -> Result<Value, any Error>? in
            if let outcome = state.outcome { return outcome }
            // Read under the lock, so that `leave` finds a task that is cancelled later.
            if Task.isCancelled { return .failure(CancellationError()) }
            state.waiting[ticket] = continuation
            return nil
        }
        if let outcome { continuation.resume(with: outcome) }
    }

    private func leave(_ ticket: UInt) {
        state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume(throwing: CancellationError())
    }

    private func raise(to priority: TaskPriority) {
        let (task, former) = state.withLock { state in
            defer { state.priority = max(state.priority, priority) }
            return (state.task, state.priority)
        }
        task?.raise(from: former, to: priority)
    }
}

extension Task where Success == Void, Failure == Never {
    fileprivate func raise(from former: TaskPriority, to priority: TaskPriority) {
        guard priority > former, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        escalatePriority(to: priority)
    }
}
