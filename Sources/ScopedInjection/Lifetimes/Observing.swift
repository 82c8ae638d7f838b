import Synchronization

/// Reports what takes time to the observers of a scope and of those outside it.
enum Observing {
    /// The observers of a scope and of those outside it; of a scope that the caller keeps alive.
    static func observers(of node: NodePointer) -> [@Sendable (ScopeEvent) -> Void] {
        let line = node.startReading()
        let rares = node.chain.compactMap { here -> Rare? in
            guard here.pointee.flags.contains(.observed) else { return nil }
            let rare = here.pointee.rare.load(ordering: .acquiring)
            return rare.map { unsafeDowncast($0.takeUnretainedValue(), to: Rare.self) }
        }
        node.finishReading(line)
        return rares.flatMap { $0.state.withLock { $0.observers } }
    }

    /// Whether anybody observes a scope or one further out.
    static func isObserved(_ node: NodePointer) -> Bool {
        let line = node.startReading()
        defer { node.finishReading(line) }
        return node.chain.contains { $0.pointee.flags.contains(.observed) }
    }
}

/// Takes a time; apart, so that nobody carries an instant around where nobody observes.
final class Stopwatch {
    private let start = ContinuousClock.now
    var time: Duration { ContinuousClock.now - start }
}
