/// The changes, the bodies and the calls of a program.
extension EndingRecord {
    // MARK: Changes and calls

    /// Something decides anew on a value in a scope, since there were so many runs.
    ///
    /// - Parameter wasThere: Whether more was removed than a kept value.
    mutating func change(_ value: Int, in scope: Int, after known: Int, wasThere: Bool) {
        for run in 0..<known where runs[run].value == value || !runs[run].stays && runs[run].inputs.contains(value) {
            runs[run].isOutOfDate = true
            if wasThere, runs[run].stage == .given, runs[run].home == scope { runs[run].isLetGo = true }
        }
    }

    /// A discard in a scope, of a value or of all, has let go of what there was when there were so many runs.
    mutating func discard(_ value: Int?, in scope: Int, after known: Int) {
        // What a change has let go of before goes on waiting for what was built from it.
        func isGiven(_ run: Run) -> Bool { run.stage == .given && !run.isTransient && !run.isLetGo }
        let discarded = (0..<known).filter {
            isGiven(runs[$0]) && runs[$0].home == scope && value ?? runs[$0].value == runs[$0].value
        }
        // What has begun stays, and what was built from it further in is out of date.
        let here = (0..<known).filter { run in
            discarded.contains(run)
                || runs[run].home == scope && isGiven(runs[run]) && !runs[run].stays
                    && !runs[run].direct.isDisjoint(with: discarded)
        }
        for run in here { runs[run].isLetGo = true }
        for run in 0..<known where !runs[run].stays && !runs[run].direct.isDisjoint(with: here) {
            runs[run].isOutOfDate = true
        }
    }

    /// A scope is about to be closed, or what it keeps of a value, or all, to be discarded.
    ///
    /// - Parameter within: The scope in which it is made by a body or a cleanup; nil for none.
    mutating func call(_ scope: Int, discard: Int??, within: Int?) -> Int {
        let text =
            discard.map { "discard of \($0.map { "\($0)" } ?? "all") in scope \(scope)" } ?? "close of scope \(scope)"
        // Once the ends have begun, what comes later further in is for those scopes alone.
        let isFirst = !calls.contains { $0.isClose && EndingProgram.lies(scope, in: $0.scope) }
        let awaited = cleanups.indices.filter { number in
            let cleanup = cleanups[number]
            guard cleanup.isThere, !cleanup.hasEnded, let at = self.scope(of: cleanup) else { return false }
            guard let discard else {
                // The scopes further in are closed, too, unless something between them and this one is gone.
                return at == scope
                    || isFirst && EndingProgram.lies(at, in: scope)
                        && dropped.allSatisfy { !EndingProgram.lies(at, in: $0) }
            }
            // What a closing of the scope has begun to end is waited for by that alone.
            if at != scope || !isFirst { return false }
            guard let owner = cleanup.run.map(owner), !runs[owner].isTransient, runs[owner].stage == .given else {
                return false
            }
            return (discard ?? runs[owner].value) == runs[owner].value && isFree(owner)
        }
        note("call \(calls.count): \(text), which awaits \(awaited)")
        // A closing from the inside has left what the scopes of its caller keep, and what that was built from.
        let isExcused = within != nil || calls.contains { $0.isClose && $0.within != nil }
        calls.append(
            Call(text: text, scope: scope, isClose: discard == nil, awaited: isExcused ? [] : awaited, within: within)
        )
        if discard == nil, let within { excuse(scope, within) }
        return calls.count - 1
    }

    /// Whether nobody may hold the instance of a run but the scope that keeps it.
    private func isFree(_ run: Int) -> Bool {
        guard let home = runs[run].home, dropped.isEmpty else { return false }
        if bodies.contains(where: { !$0.hasLeft && EndingProgram.lies($0.scope, in: home) }) { return false }
        // A cleanup further in may run already.
        let isCleaned = cleanups.indices.contains { number in
            !cleanups[number].hasEnded && places(of: number).contains { $0 != home && EndingProgram.lies($0, in: home) }
        }
        if isCleaned { return false }
        return !runs.indices.contains { user in
            runs[user].touches.contains(run)
                && (runs[user].home != home || runs[user].stays || runs[user].isTransient || runs[user].isOutOfDate)
        }
    }

    /// A closing from the inside does not wait for what runs in the scopes of the caller, and no other one does either.
    private mutating func excuse(_ scope: Int, _ within: Int) {
        for body in bodies.indices where EndingProgram.lies(within, in: bodies[body].scope) {
            bodies[body].isExcused = true
        }
        for call in calls.indices where !calls[call].hasReturned { calls[call].awaited = [] }
    }

    // MARK: Bodies

    mutating func enter(_ scope: Int) -> Int {
        bodies.append(Body(scope: scope))
        note("body \(bodies.count - 1) enters scope \(scope)")
        return bodies.count - 1
    }

    mutating func leave(_ body: Int) {
        note("body \(body) leaves")
        bodies[body].hasLeft = true
    }

    mutating func hasReturned(_ call: Int) {
        note("call \(call) returns")
        calls[call].hasReturned = true
        for cleanup in calls[call].awaited where !cleanups[cleanup].hasEnded {
            // Another task may have built something from it meanwhile.
            if calls[call].isClose, !dropped.isEmpty { continue }
            if !calls[call].isClose, cleanups[cleanup].run.map({ isFree(owner(of: $0)) }) != true { continue }
            fail("call \(call), the \(calls[call].text), returns before the end of cleanup \(cleanup)")
        }
    }
}
