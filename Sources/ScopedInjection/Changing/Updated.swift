/// What updates leave with the scope that they have changed.
final class Updated: @unchecked Sendable {
    // Sendable because the lines of the readers of the scope's node guard it.
    /// The empty scopes of updates below which others were made, for as long as there is one.
    @exclusivity(unchecked) fileprivate var parts: [EnvironmentScope] = []
    /// The id of the last reload, for which the next one waits.
    @exclusivity(unchecked) fileprivate var reload: Ends.ID = 0
}

extension UnsafeMutablePointer where Pointee == Node {
    /// The caller has called `startWriting`.
    private var updated: Updated {
        if let known = extras?.changing as? Updated { return known }
        let made = Updated()
        makeExtras().changing = made
        return made
    }

    /// Keeps the scope of an update that has ended, if another one was made below it; the caller has called `startWriting`.
    func keepParts(with part: EnvironmentScope, _ garbage: inout Garbage) {
        let updated = updated
        for former in updated.parts where !former.node.isReferredTo { garbage.add(former as AnyObject) }
        updated.parts.removeAll { !$0.node.isReferredTo }
        if part.node.isReferredTo { updated.parts.append(part) }
    }

    /// Makes a reload the last one; returns the id of the one before, or 0.
    fileprivate func exchangeReload(for id: Ends.ID) -> Ends.ID {
        whileWriting {
            defer { updated.reload = id }
            return updated.reload
        }
    }
}

extension EnvironmentScope {
    /// Waits until the reload before is made or refused; returns the id that the caller ends then.
    nonisolated(nonsending) func waitForReload() async -> Ends.ID {
        let id = Ending.shared.open(.run { "a reload" })
        let before = node.exchangeReload(for: id)
        report(circle: await Ending.shared.wait(for: .init(ids: [before])))
        return id
    }

    /// Whether it is the scope of an update that is not made, or the calling code is in the closure of one of this scope.
    var isInUpdate: Bool {
        node.inspect { node.isStaging } || Anchor.current?.node.map { isChanged(in: $0) } == true
    }

    private func isChanged(in current: NodePointer) -> Bool {
        current.inspect { current.chain.contains { $0.isStaging && $0.next == node } }
    }

    /// Ends the program in the closure of an update of this scope, which has changed this scope instead of the one that it is given.
    func endIfInOwnUpdate(_ key: ValueKey) {
        if let current = Anchor.current?.node, isChanged(in: current) {
            ScopeError.updateOutside(self, key).endProgram()
        }
    }
}
