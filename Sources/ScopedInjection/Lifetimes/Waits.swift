/// A build, a run of cleanups or a run of a deferred value, which may wait for others of its kind.
protocol Awaitable: AnyObject, Sendable {
    /// Whether this is the other one, or a part of it.
    func isWithin(_ other: Self) -> Bool
}

/// Records who waits for whom, so that no wait closes a circle.
struct Waits<Node: Awaitable>: Sendable {
    private struct Wait: Sendable {
        let waiter: Node
        let awaited: Node
    }

    private var waits: [Wait] = []

    /// Records that `waiter`, and so everything it is part of, waits for `awaited`; false if the wait would never
    /// end.
    mutating func add(_ waiter: Node, for awaited: Node) -> Bool {
        guard circle(waiter, awaited).isEmpty else { return false }
        waits.append(Wait(waiter: waiter, awaited: awaited))
        return true
    }

    /// The waits from `awaited` to the one that `waiter` is part of; empty if the wait closes no circle.
    func circle(_ waiter: Node, _ awaited: Node) -> [Node] {
        var reached = [(node: awaited, from: -1)]
        var next = 0
        while next < reached.count {
            let node = reached[next].node
            if waiter.isWithin(node) {
                let way = sequence(first: next) { reached[$0].from }.prefix { $0 >= 0 }
                return way.reversed().map { reached[$0].node }  // fault: waits
            }
            for wait in waits where wait.waiter.isWithin(node) {
                if !reached.contains(where: { $0.node === wait.awaited }) {
                    reached.append((wait.awaited, next))  // fault: waits-followed
                }
            }
            next += 1
        }
        return []
    }

    mutating func remove(_ waiter: Node, for awaited: Node) {
        guard let index = waits.firstIndex(where: { $0.waiter === waiter && $0.awaited === awaited }) else { return }
        waits.remove(at: index)
    }
}
