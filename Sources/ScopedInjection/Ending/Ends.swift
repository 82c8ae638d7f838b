/// Which ends may begin, and who waits for whom: a state machine that knows no thread, no lock, no task and no pointer.
///
/// An end is that of a resource (a value with cleanups, a cleanup of a scope, a build), of a closing, or of the run that makes
/// a deferred value. What was let go of begins to end when nothing is left that was built from it. Whoever has to know of an
/// end makes a call, which returns when all that it is for has ended. Nothing else waits, and nobody for himself.
package struct Ends: Hashable {
    /// The number of an end or a call; each is used once.
    package typealias ID = UInt64

    /// What has to be done after an event.
    package enum Action: Hashable {
        /// The cleanups of a resource run.
        case begin(ID)
        /// A call returns.
        case resume(ID)
    }

    private enum Stage {
        /// It will end by itself: a build, a closing, a run, or a value that its scope still keeps.
        case open
        /// It was let go of, and may have begun.
        case left
        /// It goes on as another one.
        case passed
        case call
    }

    private struct End: Hashable {
        var stage = Stage.open
        /// The scope to whose ends it belongs; 0 for none.
        var scope: UInt = 0
        /// How many ends it waits for.
        var missing = 0
        /// What waits for it.
        var waiters: [ID] = []
        /// What a call is for.
        var targets: [ID] = []
        /// The resource whose cleanups the task of a closing runs.
        var turn: ID?
    }

    private var ends: [ID: End] = [:]
    private var scopes: [UInt: Set<ID>] = [:]

    package init() {}

    // MARK: Events

    /// Something that ends by itself is in progress.
    package mutating func open(_ id: ID) { ends[id] = End() }

    /// A resource was let go of.
    ///
    /// - Parameters:
    ///   - users: What was built from it and has not ended.
    ///   - closing: The closing whose turn it is.
    /// - Returns: Whether its cleanups may run at once.
    package mutating func letGo(_ id: ID, of scope: UInt, after users: [ID], turnOf closing: ID? = nil) -> Bool {
        for user in users { ends[user, default: End()].waiters.append(id) }
        if let closing, users.isEmpty { ends[closing]?.turn = id }
        var end = ends[id] ?? End()
        (end.stage, end.scope, end.missing) = (.left, scope, users.count)
        if let closing { end.waiters.append(closing) }
        ends[id] = end
        scopes[scope, default: []].insert(id)
        return users.isEmpty
    }

    /// Something that is over goes on as another one, which has not ended, and ends with it.
    package mutating func pass(_ id: ID, to heir: ID) {
        ends[heir, default: End()].waiters.append(id)
        ends[id]?.stage = .passed
    }

    /// Something has ended.
    package mutating func end(_ id: ID) -> [Action] {
        guard let end = ends.removeValue(forKey: id) else { return [] }
        if scopes[end.scope]?.remove(id) != nil, scopes[end.scope]?.isEmpty == true { scopes[end.scope] = nil }
        return end.waiters.flatMap { release($0) }
    }

    private mutating func release(_ id: ID) -> [Action] {
        guard let end = ends[id] else { return [] }
        ends[id]?.missing -= 1
        if end.missing > 1 { return [] }
        switch end.stage {
        // A closing goes on when its task does.
        case .open: return []
        case .left: return [.begin(id)]
        case .passed: return self.end(id)
        case .call:
            ends[id] = nil
            return [.resume(id)]
        }
    }

    // MARK: Calls

    /// Somebody wants to wait for some ends: the code of another end, or, without a caller, code of nobody's.
    ///
    /// - Parameter held: What ends only after the caller has gone on.
    /// - Returns: Whether there is anything to wait for, and the circle of what the caller would wait for himself by.
    package mutating func call(_ call: ID, for targets: [ID], by caller: ID? = nil, holding held: [ID] = []) -> (
        waits: Bool, circle: [ID]
    ) {
        let ways = waiters(of: held + (caller.map { [$0] } ?? []))
        let circle = targets.first { ways[$0] != nil }.map { way(to: $0, ways) } ?? []
        let targets = targets.filter { ends[$0] != nil && ways[$0] == nil }
        if targets.isEmpty { return (false, circle) }
        for target in targets { ends[target]?.waiters.append(call) }
        ends[call] = End(stage: .call, missing: targets.count, waiters: caller.map { [$0] } ?? [], targets: targets)
        return (true, circle)
    }

    /// The code of an end performs a closing itself, so it waits for that even in a circle, which the closing's own calls find.
    package mutating func tie(_ call: ID, to closing: ID, by caller: ID) {
        ends[closing]?.waiters.append(call)
        ends[call] = End(stage: .call, missing: 1, waiters: [caller], targets: [closing])
    }

    /// A call gives up; whether it had not returned.
    package mutating func giveUp(_ call: ID) -> Bool {
        guard let end = ends.removeValue(forKey: call) else { return false }
        for target in end.targets { ends[target]?.waiters.removeAll { $0 == call } }
        return true
    }

    /// Whether a call has not returned.
    package func isWaiting(_ call: ID) -> Bool { ends[call] != nil }

    /// All that waits for some ends, directly or not, with what it waits for next.
    private func waiters(of ids: [ID]) -> [ID: ID] {
        var (ways, queue) = (Dictionary(ids.map { ($0, $0) }) { one, _ in one }, ids)
        while let next = queue.popLast() {
            // What a closing runs does not end before its task goes on.
            let turn = ends[next]?.turn.map { [$0] } ?? []
            for waiter in (ends[next]?.waiters ?? []) + turn where ways[waiter] == nil {
                ways[waiter] = next
                queue.append(waiter)
            }
        }
        return ways
    }

    private func way(to id: ID, _ ways: [ID: ID]) -> [ID] {
        var way = [id]
        while let next = ways[way[way.count - 1]], next != way[way.count - 1] { way.append(next) }
        return way
    }

    // MARK: Seeing

    /// Whether something waits before it begins to end.
    package func isHeldUp(_ id: ID) -> Bool { ends[id].map { $0.missing > 0 } ?? false }

    /// What a scope has let go of that has not ended.
    package func left(of scope: UInt) -> Set<ID> { scopes[scope] ?? [] }

    /// What a scope has let go of that has not ended, with what that waits for, wherever it is.
    ///
    /// - Parameter closing: The scope's closing, whose task may wait for those of other scopes.
    package func unfinished(of scope: UInt, in closing: ID? = nil) -> Set<ID> {
        var (all, size) = (left(of: scope).union(closing.map { [$0] } ?? []), -1)
        while size != all.count {
            size = all.count
            for (id, end) in ends where end.stage != .call || closing != nil {
                if !all.isDisjoint(with: end.waiters) { all.insert(id) }
            }
        }
        return all
    }
}
