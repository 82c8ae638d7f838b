/// The place of a run of cleanups, or of a deferred value, among those that wait for each other, so that none waits for
/// itself.
final class RunPlace: Awaitable {
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

    /// Ends the run, and lets go of the outer ones that are over.
    ///
    /// Otherwise a program whose cleanups start the task that makes and closes the next scope would keep all runs.
    func end() {
        let former = Self.waits.withLock { _ in
            isOver = true
            let former = outer
            outer = former?.running  // fault: outer-runs
            return former
        }
        withExtendedLifetime(former) {}
    }

    /// This run, or the nearest one around it that is not over; the caller holds `waits`.
    private var running: RunPlace? { sequence(first: self, next: \.outer).first { !$0.isOver } }

    func isWithin(_ other: RunPlace) -> Bool { sequence(first: self, next: \.outer).contains { $0 === other } }

    /// Records that the run for which this task works waits for this one; returns that run, or nil if there is none.
    ///
    /// For a run that is over nobody waits, though tasks that it started may still await others.
    ///
    /// - Throws: The error of the circle that this wait would close.
    func isAwaited() throws(ScopeError) -> RunPlace? {
        guard let current = Self.current else { return nil }
        let (waiter, circle) = Self.waits.withLock { waits -> (RunPlace?, [RunPlace]) in
            guard let waiter = current.running else { return (nil, []) }
            return (waiter, waits.add(waiter, for: self) ? [] : waits.circle(waiter, self))
        }
        guard let waiter, !circle.isEmpty else { return waiter }
        var error = ScopeError(.cycle)
        // A run waits for those that are a part of it.
        let last = circle.last === waiter ? [] : [waiter]
        error.fields.path = ([waiter] + circle + last).map { $0.name() }
        throw error
    }

    func isLeft(by waiter: RunPlace?) {
        guard let waiter else { return }
        Self.waits.withLock { $0.remove(waiter, for: self) }
    }
}
