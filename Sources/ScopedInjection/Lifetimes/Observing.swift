import Synchronization

/// Reports what takes time to the observers of a scope and of those outside it.
enum Observing {
    /// The observers of a scope and of those outside it; of a scope that the caller keeps alive.
    static func observers(of node: NodePointer) -> [@Sendable (ScopeEvent) -> Void] {
        var rares: [Rare] = []
        let line = node.startReading()
        var at: NodePointer? = node
        while let here = at {
            if here.pointee.flags.contains(.observed), let rare = here.pointee.rare.load(ordering: .acquiring) {
                rares.append(unsafeDowncast(rare.takeUnretainedValue(), to: Rare.self))
            }
            at = here.next
        }
        node.finishReading(line)
        return rares.flatMap { $0.state.withLock { $0.observers } }
    }

    /// Whether anybody observes a scope or one further out.
    static func isObserved(_ node: NodePointer) -> Bool {
        let line = node.startReading()
        defer { node.finishReading(line) }
        var at: NodePointer? = node
        while let here = at {
            if here.pointee.flags.contains(.observed) { return true }
            at = here.next
        }
        return false
    }
}

/// Takes a time; apart, so that nobody carries an instant around where nobody observes.
final class Stopwatch {
    private let start = ContinuousClock.now
    var time: Duration { ContinuousClock.now - start }
}
