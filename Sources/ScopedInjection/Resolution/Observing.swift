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

extension Reading {
    /// Reports the end of building a value, or of waiting for one.
    @inline(__always)
    func observe(
        _ kind: ScopeEvent.Kind,
        _ plan: borrowing Plan,
        since watch: Stopwatch?,
        keptAt level: Int32? = nil,
        error: ScopeError? = nil
    ) {
        guard let watch else { return }
        report(kind, plan, after: watch.time, keptAt: level, error: error)
    }

    @inline(never)
    private func report(
        _ kind: ScopeEvent.Kind,
        _ plan: borrowing Plan,
        after duration: Duration,
        keptAt level: Int32?,
        error: ScopeError?
    ) {
        let observers = Observing.observers(of: node)
        guard !observers.isEmpty else { return }
        var event = ScopeEvent(kind: kind, scope: node.withScope { $0.label }, duration: duration)
        event.key = plan.key.name
        event.valueType = plan.key.valueName
        event.keptIn = level.map { label(at: $0) }
        event.error = error
        for observer in observers { observer(event) }
    }

    private func label(at level: Int32) -> String {
        let line = node.startReading()
        defer { node.finishReading(line) }
        return node.outwards(level)?.withScope { $0.label } ?? ""
    }
}
