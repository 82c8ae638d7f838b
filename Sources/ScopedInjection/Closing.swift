import Synchronization

/// What a scope has to do when it is closed, and how far that has come.
struct Closing: Sendable {
    typealias Cleanup = @Sendable () async -> Void

    var cleanups: [Cleanup] = []
    /// The running of the cleanups, while it goes on.
    var run: CleanupRun?
}

/// The running of one scope's cleanups; others wait for it, but never for themselves.
final class CleanupRun: Awaitable {
    /// The run this task works for.
    @TaskLocal private static var current: CleanupRun?

    /// Guards what every run waits for.
    private static let waits = Guarded(Waits<CleanupRun>())

    /// The run whose cleanup closes the scope.
    private let outer = CleanupRun.current
    private let task = Guarded<Task<Void, Never>?>(nil)

    func start(_ body: @escaping @Sendable () async -> Void) {
        // A task of its own, so that cancelling the task that closes does not cancel the cleanups.
        let started = Task { [self] in await Self.$current.withValue(self, operation: body) }
        task.withLock { $0 = started }
    }

    func isWithin(_ other: CleanupRun) -> Bool {
        sequence(first: self, next: \.outer).contains { $0 === other }
    }

    /// Waits for the end, unless this task works for the run, or for one that the run waits for.
    func wait() async {
        let task = task.withLock { $0 }
        guard let waiter = Self.current else {
            await task?.value
            return
        }
        guard Self.waits.withLock({ $0.add(waiter, for: self) }) else { return }
        await task?.value
        Self.waits.withLock { $0.remove(waiter, for: self) }
    }
}

extension EnvironmentScope {
    /// Adds cleanups, or runs them if it is too late for that.
    func addCleanups(_ cleanups: [Closing.Cleanup]) {
        guard !cleanups.isEmpty else { return }
        let isTooLate = state.withLock { state in
            if !state.isClosed { state.makeRare().closing.cleanups += cleanups }
            return state.isClosed
        }
        guard isTooLate else { return }
        Task {
            for cleanup in cleanups.reversed() { await observed(cleanup) }
        }
    }

    func runCleanups() async {
        if closeIfIdle() { return }
        let run = state.withLock { state -> CleanupRun? in
            let running = state.rare?.closing.run
            guard !state.isClosed, running == nil else { return running }
            let run = CleanupRun()
            state.makeRare().closing.run = run
            run.start { await self.run { while let cleanup = self.nextCleanup() { await self.observed(cleanup) } } }
            return run
        }
        await run?.wait()
    }

    private func observed(_ cleanup: Closing.Cleanup) async {
        let observation = Observation.begin()
        await cleanup()
        observation?.end(.cleanedUp, in: self)
    }

    /// The cleanup that was added last; nil where none is left, after which the scope is closed.
    private func nextCleanup() -> Closing.Cleanup? {
        while true {
            if let cleanup = state.withLock({ $0.rare?.closing.cleanups.popLast() }) { return cleanup }
            if finishClosing(whileRunning: true) { return nil }
        }
    }

    /// Closes a scope that has nothing to clean up, without starting a task for it.
    private func closeIfIdle() -> Bool { finishClosing(whileRunning: false) }

    private func finishClosing(whileRunning: Bool) -> Bool {
        let garbage = change { table, state, isFollowed -> Garbage? in
            if let closing = state.rare?.closing {
                guard closing.cleanups.isEmpty, whileRunning || closing.run == nil else { return nil }
            }
            if state.isClosed { return Garbage() }
            state.isClosed = true
            state.rare?.closing.run = nil
            table.invalidate(isFollowed: isFollowed)
            return table.removeKept()
        }
        return withExtendedLifetime(garbage) { garbage != nil }
    }

    func closed(_ key: AnyKey, scope: EnvironmentScope) -> ScopeError {
        ScopeError(.closed, key: key, searched: chainNames, detail: "\(scope.displayName) is closed")
    }
}
