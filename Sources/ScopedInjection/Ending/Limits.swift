/// Limits of closings: half is for who is inside, then the ends begin; the order of turns is given up when a tenth is left.
extension EnvironmentScope {
    /// Waits as long as a limit allows, and returns the names of what has not ended then.
    nonisolated(nonsending) func finish(
        _ ends: Ending.Targets,
        within limit: Duration,
        _ start: Stopwatch,
        _ inside: Set<String>?
    ) async
        -> [String]
    {
        report(circle: await Ending.shared.wait(for: ends, within: limit * 9 / 10 - start.time))
        if Ending.shared.isOver(ends) { return [] }
        giveUpTurns()
        // What only had to wait for its turn has the last tenth.
        _ = await Ending.shared.wait(for: ends, within: limit - start.time)
        return Ending.shared.isOver(ends) ? [] : namesOfUnfinished(after: limit, inside)
    }

    /// Gives up the order of the turns: what nobody else holds begins.
    private func giveUpTurns() {
        letGo(nil, inTasks: true) { garbage in
            while node.takeTurn(&garbage) {}
            if node.pointee.flags.contains(.closing) { node.pointee.flags.insert(.closingLate) }
        }
    }

    /// The names of all that a closing waits for, which observers are told.
    private func namesOfUnfinished(after limit: Duration, _ inside: Set<String>?) -> [String] {
        let all = node.inspect { (pending()?.resources ?? []) + (node.pointee.turn.map { [$0.object] } ?? []) }
        var due: [Resource] = []
        for resource in all where !resource.isOver && !due.contains(where: { $0 === resource }) {
            due.append(resource)
        }
        let running = node.whileWriting { namesOfOthers(than: .anybody) }.intersection(inside ?? [])
        for resource in due {
            report(ScopeEvent(.cleanupOverdue, in: self, of: resource.title ?? .init(), after: limit))
        }
        return (due.map { $0.name(in: self) } + running.map { "what runs in \($0)" }).sorted()
    }
}
