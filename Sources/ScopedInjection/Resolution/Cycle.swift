/// A cycle of builds that one thread runs, each within the one before; only that thread uses it.
final class Cycle {
    let error: ScopeError
    /// Whether one of the builds runs again, because its inputs have changed.
    var isBroken = false

    init(_ error: ScopeError) { self.error = error }
}
