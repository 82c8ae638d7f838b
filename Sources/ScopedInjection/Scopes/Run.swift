/// A run of cleanups, or of a deferred value: knows which others it waits for, so that none waits for itself.
class Run: @unchecked Sendable {
    // Sendable because the properties are guarded by `waits`; the compiler checks that for final classes only.

    /// The run that this task works for.
    @TaskLocal static var current: Run?

    /// Guards the properties below of all runs, and who waits for those of cleanups.
    static let waits = Guarded(())

    /// The run that this one is a part of.
    private var outer: Run?
    private(set) var isOver = false
    /// What tasks of this run, or of a part of it, wait for; once for each wait.
    private var awaited: [Run] = []

    /// The name of the run, for error texts.
    var name: String { fatalError("a run has a name") }
    /// What to do about a circle of runs.
    var advice: String { fatalError("a run has advice") }

    /// Makes the run a part of another one.
    func begin(within outer: Run) { Self.waits.withLock { _ in self.outer = outer } }

    /// Ends the run; nobody waits for tasks that it has left behind.
    ///
    /// The caller holds `waits`.
    func markOver() {
        isOver = true
        awaited = []
        // Otherwise a chain of runs, each started by the one before, would keep all of them.
        outer = outer?.running
    }

    /// This run, or the nearest one around it that is not over.
    private var running: Run? { sequence(first: self, next: \.outer).first { !$0.isOver } }

    /// Records that the run for which this task works waits for this one; returns it and those that it is a part of.
    ///
    /// - Throws: The error of the circle that this wait would close.
    func isAwaited() throws(ScopeError) -> [Run] {
        guard let current = Self.current else { return [] }
        let (waiting, circle) = Self.waits.withLock { _ -> ([Run], [Run]) in
            guard let waiter = current.running else { return ([], []) }
            let waiting = Array(sequence(first: waiter, next: \.outer))
            var seen: Set<ObjectIdentifier> = []
            let circle = way(to: waiting, &seen)
            if !circle.isEmpty { return ([], [waiter] + circle + (circle.last === waiter ? [] : [waiter])) }
            for run in waiting { run.awaited.append(self) }
            return (waiting, [])
        }
        if circle.isEmpty { return waiting }
        var error = ScopeError(.cycle, advice: advice)
        error.fields.path = circle.map(\.name)
        throw error
    }

    /// Ends the wait of the runs that `isAwaited` has returned.
    func endWait(of waiting: [Run]) {
        if waiting.isEmpty { return }
        Self.waits.withLock { _ in
            for run in waiting {
                if let index = run.awaited.firstIndex(where: { $0 === self }) { run.awaited.remove(at: index) }
            }
        }
    }

    /// The waits from this run to one of the others; empty if there are none.
    private func way(to others: [Run], _ seen: inout Set<ObjectIdentifier>) -> [Run] {
        if others.contains(where: { $0 === self }) { return [self] }
        for run in awaited where seen.insert(ObjectIdentifier(run)).inserted {
            let rest = run.way(to: others, &seen)
            if !rest.isEmpty { return [self] + rest }
        }
        return []
    }
}
