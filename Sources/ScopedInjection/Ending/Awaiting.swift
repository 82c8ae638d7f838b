/// Waits for ends, for code that may run in a scope that has to end first.
extension EnvironmentScope {
    /// What scopes further in keep, in which the caller runs: it ends after he has gone on.
    var keptByCaller: [Ends.ID] {
        guard let inner = Anchor.current?.node else { return [] }
        return inner.whileReading {
            if !inner.chain.contains(node) { return [] }
            return inner.chain.prefix { $0 != node }.flatMap { $0.resources.map(\.id) }
        }
    }

    /// Waits for the ends of a discard, and for those of values that were let go of here before.
    ///
    /// A body does not wait for what stays in its own scope; a cleanup may, and is no part of the scope's order.
    nonisolated(nonsending) func waitForEnds(_ ids: [Ends.ID], and isConcerned: (ValueKey?) -> Bool) async {
        let left = Ending.shared.left(of: self).filter { isConcerned($0.value) }.map(\.id)
        if !left.isEmpty { letGoOfUsers(of: Set(left)) }
        let held = Ending.caller.isAnybody ? [] : keptByCaller
        report(circle: await Ending.shared.wait(for: ids + left, holding: held))
    }
}
