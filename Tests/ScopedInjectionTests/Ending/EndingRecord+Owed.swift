/// What has to go on, because it waits for nothing.
extension EndingRecord {
    /// The cleanups that have to go on, because they wait for nothing that still is: R11.3, nothing waits for a stranger.
    var owed: [Int] {
        let left = cleanups.indices.filter { !cleanups[$0].hasEnded && cleanups[$0].run != nil }
        return left.filter { number in
            guard let run = cleanups[number].run, runs[run].isLetGo, !runs[run].isTransient else { return false }
            return !isHeldUp(run, left)
        }
    }

    private func isHeldUp(_ run: Int, _ left: [Int]) -> Bool {
        func isLeft(_ other: Int, _ isIt: (Cleanup) -> Bool = { _ in true }) -> Bool {
            left.contains { cleanups[$0].run.map(owner) == owner(of: other) && isIt(cleanups[$0]) }
        }
        if isLeft(run, { $0.stage == .waiting }) { return true }
        return runs.indices.contains { user in
            guard runs[user].touches.contains(run) else { return false }
            if runs[user].stage == .building { return true }
            // What stays uses what it was built from until it is let go of, though it has no cleanup itself.
            if runs[user].stays, runs[user].stage != .failed, !runs[user].isLetGo { return true }
            if owner(of: user) == owner(of: run) || !isLeft(user) { return false }
            return !runs[user].isLetGo || runs[user].isTransient || isHeldUp(user, left)
        }
    }

    /// Whether a scope was given something with cleanups that is not kept.
    func hasGivenUnkept(to scope: Int) -> Bool {
        cleanups.contains { cleanup in
            cleanup.scope == scope && !cleanup.hasEnded
                && cleanup.run.map { owner(of: $0) == $0 && runs[$0].isTransient } == true
        }
    }

    /// Whether something stays in a scope that was built from what this scope may have let go of, which waits for it and holds the scope.
    func hasWhatStaysOnItsOwn(in scope: Int) -> Bool {
        runs.contains { run in
            run.stays && run.home == scope && run.uses.contains { runs[$0].home == nil || runs[$0].home == scope }
        }
    }

    var isAnythingWaiting: Bool { cleanups.contains { $0.stage == .waiting } }
    var openCalls: [Call] { calls.filter { !$0.hasReturned } }
    var notEnded: [Int] { cleanups.indices.filter { !cleanups[$0].hasEnded } }
}
