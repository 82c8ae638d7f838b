/// A build or a run of cleanups, which may wait for others of its kind.
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
        var reached = [awaited]
        var next = 0
        while next < reached.count {
            let node = reached[next]
            next += 1
            if waiter.isWithin(node) { return false }  // fault: waits
            for wait in waits where wait.waiter.isWithin(node) {
                if !reached.contains(where: { $0 === wait.awaited }) {
                    reached.append(wait.awaited)  // fault: waits-followed
                }
            }
        }
        waits.append(Wait(waiter: waiter, awaited: awaited))
        return true
    }

    mutating func remove(_ waiter: Node, for awaited: Node) {
        guard let index = waits.firstIndex(where: { $0.waiter === waiter && $0.awaited === awaited }) else { return }
        waits.remove(at: index)
    }
}
