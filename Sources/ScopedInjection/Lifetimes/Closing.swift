import Synchronization

/// The cleanups of a scope, and how far its closing has come.
struct Closing: Sendable {
    typealias Cleanup = @Sendable () async -> Void

    var cleanups: [Cleanup] = []
    /// The run of the cleanups, while it goes on.
    var run: CleanupRun?
    var isOver = false
}

/// The run of one scope's cleanups.
final class CleanupRun: Sendable {
    /// Within the run of an outer close, if one of its cleanups closes this scope.
    private let place: RunPlace
    private let task: Task<Void, Never>

    /// Starts the run.
    init(_ scope: EnvironmentScope, _ body: @escaping @Sendable () async -> Void) {
        // The name, because the scope does not own its runs.
        let name = scope.label
        let place = RunPlace(within: RunPlace.current) { "the cleanups of the scope \"\(name)\"" }
        self.place = place
        // A separate task, so that cancelling the closing task does not cancel the cleanups.
        task = Task {
            await RunPlace.$current.withValue(place, operation: body)
            place.end()
        }
    }

    /// Waits for the end, unless this task works for the run, or for a run that it waits for.
    func wait() async {
        do {
            let wait = try place.isAwaited()
            await task.value
            RunPlace.end(wait)
        } catch {}
    }
}

extension EnvironmentScope {
    /// Whether the scope is closed, or gone; no build records it.
    var isClosedNow: Bool {
        guard let scope = target, let node = scope.node else { return true }
        defer { withExtendedLifetime(scope) {} }
        return node.whileReading { node.pointee.flags.contains(.closed) }
    }

    /// Adds cleanups, or runs them if the scope is already closed; the scope has a node.
    func addCleanups(_ cleanups: [Closing.Cleanup]) {
        guard !cleanups.isEmpty else { return }
        let rare = makeRare()
        // Read after the `Rare` is made: from now on a close looks at the cleanups.
        let isClosed = isClosedNow
        let isTooLate = rare.state.withLock { state in
            if isClosed || state.closing.isOver { return true }  // fault: late-cleanup
            state.closing.cleanups += cleanups
            return false
        }
        guard isTooLate else { return }
        let anchor = Anchor(self)
        Task { await anchor.run { for cleanup in cleanups.reversed() { await observed(cleanup) } } }
    }

    func runCleanups() async {
        if close(ifIdle: true) { return }
        let run = makeRare().state.withLock { state -> CleanupRun? in
            guard !state.closing.isOver, state.closing.run == nil else { return state.closing.run }
            let run = CleanupRun(self) {
                await self.run { while let cleanup = self.nextCleanup() { await self.observed(cleanup) } }
            }
            state.closing.run = run
            return run
        }
        await run?.wait()
    }

    private func observed(_ cleanup: Closing.Cleanup) async {
        assert(ThreadState.isFree, "a cleanup is run under a lock")
        guard let node, Observing.isObserved(node) else { return await cleanup() }
        let start = ContinuousClock.now
        await cleanup()
        let event = ScopeEvent(kind: .cleanedUp, scope: label, duration: ContinuousClock.now - start)
        for observer in Observing.observers(of: node) { observer(event) }
    }

    /// Takes the cleanup that was added last; nil if none is left, and then the scope is closed.
    private func nextCleanup() -> Closing.Cleanup? {
        let next = makeRare().state.withLock { state -> Closing.Cleanup? in
            if let cleanup = state.closing.cleanups.popLast() { return cleanup }  // fault: last-first
            state.closing.isOver = true
            return nil
        }
        if next == nil {
            _ = close(ifIdle: false)
            makeRare().state.withLock { $0.closing.run = nil }
        }
        return next
    }

    /// Closes the scope, so that nothing more is kept in it, and releases the values that it built.
    ///
    /// - Parameter isIdle: Closes only a scope without a `Rare`, and so without cleanups; false if it has one.
    private func close(ifIdle isIdle: Bool) -> Bool {
        guard let node else { return true }
        var garbage = Garbage()
        let lines = node.startWriting()
        if isIdle, node.pointee.rare.load(ordering: .acquiring) != nil {  // fault: idle-close
            node.finishWriting(lines)
            return false
        }
        node.pointee.flags.insert(.closed)
        node.noteChange()  // fault: closing-counted
        node.forEachSlot { slot in
            guard let cell = slot.pointee.cell, !cell.isSet else { return }  // fault: closing-lets-go
            slot.pointee.cell = nil
            garbage.add(cell)
        }
        node.finishWriting(lines)
        let thread = ThreadState.current
        let outer = thread.pointee.closing
        thread.pointee.closing = node  // fault: closing-read
        garbage.letGo()
        thread.pointee.closing = outer  // fault: closing-over
        return true
    }
}
