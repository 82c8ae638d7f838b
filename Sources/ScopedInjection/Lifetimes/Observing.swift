import Synchronization

/// Finds the observers of a scope and its ancestors.
enum Observing {
    /// The observers of a scope and its ancestors; the caller keeps the scope alive.
    static func observers(of node: NodePointer) -> [@Sendable (ScopeEvent) -> Void] {
        let rares = node.whileReading { node.chain.compactMap { $0.pointee.flags.contains(.observed) ? $0.rare : nil } }
        return rares.flatMap { $0.state.withLock { $0.observers } }
    }

    /// Whether a scope or one of its ancestors has an observer.
    static func isObserved(_ node: NodePointer) -> Bool {
        let line = node.startReading()
        defer { node.finishReading(line) }
        return node.chain.contains { $0.pointee.flags.contains(.observed) }
    }
}

/// Measures a duration; a class, so that without observers a run holds only nil.
final class Stopwatch {
    private let start = ContinuousClock.now
    var time: Duration { ContinuousClock.now - start }
}
