/// Records who waits for whom, so that no wait closes a circle.
///
/// A node is a build, a run of cleanups or a run of a deferred value. It is passed with all that it is a part of,
/// innermost first, because those wait too.
struct Waits<Node: AnyObject & Sendable>: Sendable {
    /// A wait in progress, which keeps its nodes alive: none may be let go of under the lock of the record.
    struct Wait: Sendable {
        fileprivate let number: Int
        fileprivate let waiting: [Node]
        fileprivate let awaited: Node
    }

    /// What each node, or a part of it, waits for, by the number of the wait.
    private var awaited: [ObjectIdentifier: [Int: Node]] = [:]
    private var last = 0

    /// Records that nodes wait for another one; nil if the wait would never end.
    mutating func add(_ waiting: [Node], for other: Node) -> Wait? {
        guard circle(waiting, other).isEmpty else { return nil }
        last += 1
        for node in waiting { awaited[ObjectIdentifier(node), default: [:]][last] = other }
        return Wait(number: last, waiting: waiting, awaited: other)
    }

    /// The waits from `other` to one of the nodes that would wait for it; empty if that closes no circle.
    func circle(_ waiting: [Node], _ other: Node) -> [Node] {
        let ends = Set(waiting.map { ObjectIdentifier($0) })
        var reached = [(node: other, from: -1)]
        var known: Set = [ObjectIdentifier(other)]
        var next = 0
        while next < reached.count {
            let id = ObjectIdentifier(reached[next].node)
            if ends.contains(id) {
                let way = sequence(first: next) { reached[$0].from }.prefix { $0 >= 0 }
                return way.reversed().map { reached[$0].node }  // fault: waits
            }
            for (_, node) in awaited[id, default: [:]].sorted(by: { $0.key < $1.key }) {
                guard known.insert(ObjectIdentifier(node)).inserted else { continue }
                reached.append((node, next))  // fault: waits-followed
            }
            next += 1
        }
        return []
    }

    /// Forgets what a node waits for, and returns it, to be let go of without the lock.
    mutating func forget(_ node: Node) -> [Int: Node] {
        awaited.removeValue(forKey: ObjectIdentifier(node)) ?? [:]  // fault: waits-left
    }

    mutating func remove(_ wait: Wait) {
        for node in wait.waiting {
            let id = ObjectIdentifier(node)
            awaited[id]?[wait.number] = nil  // fault: waits-over
            if awaited[id]?.isEmpty == true { awaited[id] = nil }
        }
    }
}
