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
        // Who runs further in may use it, as far as anybody knows.
        if bodies.contains(where: { !$0.hasLeft && EndingProgram.lies($0.scope, in: runs[run].home ?? 0) }) {
            return true
        }
        // So may a cleanup that runs further in.
        let isHeld = cleanups.indices.contains { number in
            let stage = cleanups[number].stage
            return stage != .registered && stage != .ended
                && places(of: number).contains { EndingProgram.lies($0, in: runs[run].home ?? 0) }
        }
        if isHeld { return true }
        return runs.indices.contains { user in
            guard runs[user].touches.contains(run) else { return false }
            if runs[user].stage == .building { return true }
            // What stays uses what it was built from until it is let go of, though it has no cleanup itself.
            if runs[user].stays, runs[user].stage != .failed, !runs[user].isLetGo { return true }
            if owner(of: user) == owner(of: run) || !isLeft(user) { return false }
            return !runs[user].isLetGo || runs[user].isTransient || isHeldUp(user, left)
        }
    }

    var isAnythingWaiting: Bool { cleanups.contains { $0.stage == .waiting } }
    var openCalls: [Call] { calls.filter { !$0.hasReturned } }
    var notEnded: [Int] { cleanups.indices.filter { !cleanups[$0].hasEnded } }
}
