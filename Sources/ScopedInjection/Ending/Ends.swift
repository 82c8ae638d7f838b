/// Who waits for which ends: a state machine that knows no thread, no lock, no task and no pointer.
///
/// An end is that of a resource, of a closing, or of the run that makes a deferred value. Whoever has to know of one makes a call,
/// which returns when all that it is for has ended. Nobody waits for himself.
package struct Ends: Hashable {
    /// The id of an end or a call.
    package typealias ID = UInt64

    private struct Call: Hashable {
        /// What does not end before it returns.
        var behind: [ID]
        var targets: [ID]
        var missing: Int
    }

    private var calls: [ID: Call] = [:]
    /// The calls for what has not ended.
    private var waiting: [ID: [ID]] = [:]

    package init() {}

    /// Something has not ended for which there may be calls.
    package mutating func open(_ id: ID) { if waiting[id] == nil { waiting[id] = [] } }

    /// Something has ended, or is used again; returns the calls that return.
    package mutating func end(_ id: ID) -> [ID] {
        (waiting.removeValue(forKey: id) ?? []).filter { call in
            calls[call]?.missing -= 1
            guard calls[call]?.missing == 0 else { return false }
            calls[call] = nil
            return true
        }
    }

    /// Somebody wants to wait for some ends.
    ///
    /// - Parameter behind: What does not end before the call returns: for whom the caller works, and what that was built from.
    /// - Returns: Whether there is anything to wait for, and the circle of what the caller would wait for himself by.
    package mutating func call(_ call: ID, for targets: [ID], behind: [ID] = []) -> (waits: Bool, circle: [ID]) {
        let ways = ways(from: behind)
        let circle = targets.first { ways[$0] != nil }.map { way(to: $0, ways) } ?? []
        let targets = targets.filter { waiting[$0] != nil && ways[$0] == nil }
        if !targets.isEmpty { add(call, targets, behind) }
        return (!targets.isEmpty, circle)
    }

    /// Somebody waits for what he performs himself, even in a circle, which the calls that it makes find.
    package mutating func tie(_ call: ID, to id: ID, behind: [ID]) { if waiting[id] != nil { add(call, [id], behind) } }

    private mutating func add(_ call: ID, _ targets: [ID], _ behind: [ID]) {
        for target in targets { waiting[target]?.append(call) }
        calls[call] = Call(behind: behind, targets: targets, missing: targets.count)
    }

    /// A call gives up; whether it had not returned.
    package mutating func giveUp(_ call: ID) -> Bool {
        guard let gone = calls.removeValue(forKey: call) else { return false }
        for target in gone.targets { waiting[target]?.removeAll { $0 == call } }
        return true
    }

    /// Whether a call has not returned.
    package func isWaiting(_ call: ID) -> Bool { calls[call] != nil }

    /// Whether something has not ended for which there may be calls.
    package func isOpen(_ id: ID) -> Bool { waiting[id] != nil }

    /// All that waits for some ends, directly or not, with what it waits for next.
    private func ways(from ids: [ID]) -> [ID: ID] {
        var (ways, queue) = (Dictionary(ids.map { ($0, ids[0]) }) { one, _ in one }, ids)
        while let next = queue.popLast() {
            for call in waiting[next] ?? [] {
                for waiter in calls[call]?.behind ?? [] where ways[waiter] == nil {
                    ways[waiter] = next
                    queue.append(waiter)
                }
            }
        }
        return ways
    }

    private func way(to id: ID, _ ways: [ID: ID]) -> [ID] {
        var way = [id]
        while let next = ways[way[way.count - 1]], next != way[way.count - 1] { way.append(next) }
        return way
    }
}
