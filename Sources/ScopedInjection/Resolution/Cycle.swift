/// A cycle of builds that one thread runs, each within the one before; only that thread uses it.
final class Cycle {
    let error: ScopeError
    /// Whether one of the builds runs again, because its inputs have changed.
    var isBroken = false

    init(_ error: ScopeError) { self.error = error }
}

extension Build {
    /// Records a cycle that the value is part of.
    func noteCycle(_ cycle: Cycle) { withShared { $0.cycles.append(cycle) } }

    /// Breaks the cycles, because this build runs again and may not need the other builds any more.
    func breakCycles() {
        withShared { shared in
            for cycle in shared.cycles { cycle.isBroken = true }  // fault: cycle-void
        }
    }

    var cycleError: ScopeError? { withShared { shared in shared.cycles.first { !$0.isBroken }?.error } }
}
