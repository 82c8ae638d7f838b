import Synchronization

/// One run that makes a deferred value, and the tasks that wait for it.
///
/// The run goes on even if no task waits. No user code is called, and no task is resumed, under the lock.
final class DeferredRun<Value: Sendable>: Run, @unchecked Sendable {
    // Sendable because its own state is guarded.

    private struct State: Sendable {
        var waiting: [UInt: CheckedContinuation<Value, any Error>] = [:]
        var outcome: Result<Value, any Error>?
        var task: Task<Void, Never>?
    }

    private let state = Guarded(State())
    private let lastTicket = Atomic<UInt>(0)
    /// Where the deferred value was made.
    private let place: SourcePlace

    /// Like a detached task it is no part of the run that awaits it first.
    init(_ place: SourcePlace) { self.place = place }

    override var advice: String {
        "await none of these values in what makes them; a task that starts there and needs one has to be detached."
    }

    override var name: String { "the \(Deferred<Value>.self) at \(ScopeError.Location(place))" }

    /// Starts the run in a task of its own, which has no task-locals of the first task that waits.
    func start(
        _ make: @escaping @Sendable () async throws -> Value,
        _ end: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let task = Task.detached(priority: Task.currentPriority) {
            await Run.$current.withValue(self) {
                do {
                    // The scope that it reads in may be gone with the deferred value.
                    try Task.checkCancellation()
                    end(.success(try await make()))
                } catch {
                    end(.failure(error))
                }
            }
        }
        state.withLock { $0.task = task }
    }

    func cancel() { state.withLock { $0.task }?.cancel() }

    /// Passes the outcome to all waiting tasks.
    func finish(_ outcome: Result<Value, any Error>) {
        let waiting = state.withLock { state in
            state.outcome = outcome
            defer { state.waiting = [:] }
            return state.waiting
        }
        Self.waits.withLock { _ in markOver() }
        for continuation in waiting.values { continuation.resume(with: outcome) }
    }

    // MARK: Waiting

    /// Waits for the outcome, unless the calling task is cancelled.
    nonisolated(nonsending) func value() async throws -> Value {
        let waiting = try isAwaited()
        defer { endWait(of: waiting) }
        let ticket = lastTicket.wrappingAdd(1, ordering: .relaxed).newValue
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { join(ticket, $0) }
        } onCancel: {
            leave(ticket)
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
}
