/// The place of a run of cleanups, or of a deferred value, among those that wait for each other, so that none waits for
/// itself.
final class RunPlace: Sendable {
    /// The place of the run that this task works for.
    @TaskLocal static var current: RunPlace?

    /// Which run waits for which.
    private static let waits = Guarded(Waits<RunPlace>())

    /// The name of the run, for error texts.
    private let name: @Sendable () -> String

    // Guarded by `waits`.

    /// The run that this one is a part of.
    nonisolated(unsafe) private var outer: RunPlace?
    nonisolated(unsafe) private var isOver = false

    init(within outer: RunPlace? = nil, name: @escaping @Sendable () -> String) {
        self.outer = outer
        self.name = name
    }

    /// Ends the run, and lets go of the outer ones that are over, and of what its tasks wait for.
    ///
    /// Who awaited the run does not wait for tasks that it left behind. And without the end of the outer ones, a program whose
    /// cleanups start the task that makes and closes the next scope would keep all runs.
    func end() {
        let former = Self.waits.withLock { waits in
            isOver = true
            let former = outer
            outer = former?.running  // fault: outer-runs
            return (former, waits.forget(self))
        }
        withExtendedLifetime(former) {}
    }

    /// This run, or the nearest one around it that is not over; the caller holds `waits`.
    private var running: RunPlace? { sequence(first: self, next: \.outer).first { !$0.isOver } }

    /// Records that the run for which this task works waits for this one; nil if there is no such run.
    ///
    /// For a run that is over nobody waits, though tasks that it started may still await others.
    ///
    /// - Throws: The error of the circle that this wait would close.
    func isAwaited() throws(ScopeError) -> Waits<RunPlace>.Wait? {
        guard let current = Self.current else { return nil }
        let (wait, waiter, circle) = Self.waits.withLock { waits -> (Waits<RunPlace>.Wait?, RunPlace?, [RunPlace]) in
            guard let waiter = current.running else { return (nil, nil, []) }
            let waiting = Array(sequence(first: waiter, next: \.outer))
            let wait = waits.add(waiting, for: self)
            return (wait, waiter, wait == nil ? waits.circle(waiting, self) : [])
        }
        guard let waiter, !circle.isEmpty else { return wait }
        var error = ScopeError(.cycle)
        // A run waits for those that are a part of it.
        let last = circle.last === waiter ? [] : [waiter]
        error.fields.path = ([waiter] + circle + last).map { $0.name() }
        throw error
    }

    /// Ends a wait that `isAwaited` has recorded.
    static func end(_ wait: Waits<RunPlace>.Wait?) {
        if let wait { waits.withLock { $0.remove(wait) } }
    }
}
