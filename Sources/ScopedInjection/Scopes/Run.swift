/// A run of cleanups, or of a deferred value: knows which others it waits for, so that none waits for itself.
class Run: @unchecked Sendable {
    // Sendable because the properties are guarded by `waits`; the compiler checks that for final classes only.

    /// The run that this task works for.
    @TaskLocal static var current: Run?

    /// Guards the properties below of all runs.
    private static let waits = Guarded(())

    /// The run that this one is a part of.
    private var outer: Run?
    private var isOver = false
    /// What tasks of this run, or of a part of it, wait for; once for each wait.
    private var awaited: [Run] = []

    init(within outer: Run?) { self.outer = outer }

    /// The name of the run, for error texts.
    var name: String { fatalError("a run has a name") }
    /// What to do about a circle of runs.
    var advice: String { fatalError("a run has advice") }

    /// A wait in progress: who waits, innermost first, and for what.
    struct Wait: Sendable {
        fileprivate let waiting: [Run]
        fileprivate let awaited: Run
    }

    /// Makes the run a part of another one.
    func begin(within outer: Run?) { Self.waits.withLock { _ in self.outer = outer } }

    /// Ends the run; nobody waits for tasks that it has left behind.
    func end() {
        Self.waits.withLock { _ in
            isOver = true
            awaited = []
            // Otherwise a chain of runs, each started by the one before, would keep all of them.
            outer = outer?.running
        }
    }

    /// This run, or the nearest one around it that is not over.
    private var running: Run? { sequence(first: self, next: \.outer).first { !$0.isOver } }

    /// Records that the run for which this task works waits for this one; nil if there is no such run.
    ///
    /// - Throws: The error of the circle that this wait would close.
    func isAwaited() throws(ScopeError) -> Wait? {
        guard let current = Self.current else { return nil }
        let (wait, circle) = Self.waits.withLock { _ -> (Wait?, [Run]) in
            guard let waiter = current.running else { return (nil, []) }
            let waiting = Array(sequence(first: waiter, next: \.outer))
            let circle = way(to: waiting)
            if !circle.isEmpty { return (nil, [waiter] + circle + (circle.last === waiter ? [] : [waiter])) }
            for run in waiting { run.awaited.append(self) }
            return (Wait(waiting: waiting, awaited: self), [])
        }
        if circle.isEmpty { return wait }
        var error = ScopeError(.cycle, advice: advice)
        error.fields.path = circle.map(\.name)
        throw error
    }

    /// Ends a wait that `isAwaited` has recorded.
    static func end(_ wait: Wait?) {
        guard let wait else { return }
        waits.withLock { _ in
            for place in wait.waiting {
                if let index = place.awaited.firstIndex(where: { $0 === wait.awaited }) {
                    place.awaited.remove(at: index)
                }
            }
        }
    }

    /// The waits from this run to one of the others; empty if there are none.
    private func way(to others: [Run]) -> [Run] {
        var reached = [(run: self, from: -1)]
        var next = 0
        while next < reached.count {
            let run = reached[next].run
            if others.contains(where: { $0 === run }) {
                return sequence(first: next) { reached[$0].from }.prefix { $0 >= 0 }.reversed().map {
                    reached[$0].run
                }
            }
            for found in run.awaited where !reached.contains(where: { $0.run === found }) {
                reached.append((found, next))
            }
            next += 1
        }
        return []
    }
}
