/// One run that makes a deferred value, for the tasks that wait for it; it goes on even if none does.
final class DeferredRun<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var outcome: Result<Value, any Error>?
        var task: Task<Void, Never>?
    }

    private let state = Guarded(State())
    private let id: Ends.ID
    private let stopwatch = Stopwatch()
    var time: Duration { stopwatch.time }

    /// Like a detached task it is no part of the end that awaits it first.
    init(_ place: SourcePlace, _ key: ValueKey?) {
        id = Ending.shared.open(.run { key?.name ?? "the \(Deferred<Value>.self) at \(ScopeError.Location(place))" })
    }

    /// Starts the run in a task of its own, which has no task-locals of the first task that waits.
    func start(
        _ make: @escaping @Sendable () async throws -> Value,
        _ end: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let task = Task.detached(priority: Task.currentPriority) {
            await Ending.$caller.withValue(.init(run: self.id)) {
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
        state.withLock { $0.outcome = outcome }
        Ending.shared.end(id)
    }

    /// Waits for the outcome, unless the calling task is cancelled.
    nonisolated(nonsending) func value() async throws -> Value {
        if let circle = await Ending.shared.wait(for: .init(ids: [id]), isCancellable: true) {
            var error = ScopeError(
                .cycle,
                advice:
                    "await none of these values in what makes them; a task that starts there and needs one has to be detached."
            )
            error.fields.path = circle
            throw error
        }
        guard let outcome = state.withLock({ $0.outcome }) else { throw CancellationError() }
        return try outcome.get()
    }
}
