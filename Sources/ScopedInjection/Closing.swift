import Synchronization

/// What a scope has to do when it is closed, and how far that has come.
struct Closing: Sendable {
    typealias Cleanup = @Sendable () async -> Void

    /// The scopes whose cleanups this task is running, so that a cleanup may close its own scope.
    @TaskLocal static var scopesInProgress: [ObjectIdentifier] = []

    var cleanups: [Cleanup] = []
    var task: Task<Void, Never>?
    var isOver = false
}

extension EnvironmentScope {
    /// Adds cleanups, or runs them if it is too late for that.
    func addCleanups(_ cleanups: [Closing.Cleanup]) {
        guard !cleanups.isEmpty else { return }
        let isTooLate = state.withLock { state in
            if !state.closing.isOver { state.closing.cleanups += cleanups }
            return state.closing.isOver
        }
        guard isTooLate else { return }
        Task {
            for cleanup in cleanups.reversed() { await cleanup() }
        }
    }

    func runCleanups() async {
        if Closing.scopesInProgress.contains(ObjectIdentifier(self)) { return }
        // A task of its own, so that cancelling the task that closes does not cancel the cleanups.
        let task = state.withLock { state -> Task<Void, Never>? in
            guard !state.closing.isOver else { return nil }
            if let task = state.closing.task { return task }
            let task = Task { await self.runCleanupsToTheEnd() }
            state.closing.task = task
            return task
        }
        await task?.value
    }

    private func runCleanupsToTheEnd() async {
        await Closing.$scopesInProgress.withValue(Closing.scopesInProgress + [ObjectIdentifier(self)]) {
            await run { while let cleanup = nextCleanup() { await cleanup() } }
        }
    }

    /// The cleanup that was added last; nil where none is left, after which the scope is closed.
    private func nextCleanup() -> Closing.Cleanup? {
        let (cleanup, garbage) = change { table, state, isFollowed -> (Closing.Cleanup?, Garbage?) in
            if let cleanup = state.closing.cleanups.popLast() { return (cleanup, nil) }
            state.closing.isOver = true
            state.closing.task = nil
            table.invalidate(isFollowed: isFollowed)
            return (nil, table.removeKept())
        }
        withExtendedLifetime(garbage) {}
        return cleanup
    }

    func closed(_ key: AnyKey, scope: EnvironmentScope) -> ScopeError {
        ScopeError(.closed, key: key, searched: chainNames, detail: "\(scope.displayName) is closed")
    }
}
