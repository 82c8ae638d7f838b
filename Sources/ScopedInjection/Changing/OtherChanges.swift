/// What is changed in a scope while an update of it is in progress.
final class OtherChanges: @unchecked Sendable {
    // Sendable because the lines of the readers of the scope's node guard it.
    @exclusivity(unchecked) fileprivate(set) var keys: Set<ValueKey> = []
}

/// The caller has called `startWriting`.
extension UnsafeMutablePointer where Pointee == Node {
    /// Begins an update, which is told of other changes.
    func begin(_ update: OtherChanges) {
        // So that a set looks whether there is one.
        if pointee.keptValues == 0 {
            markTidied()
            pointee.keptValues = 1
        }
        pointee.flags.insert(.updating)
        makeExtras().updates.append(update)
    }

    /// Ends an update, which was made or dropped.
    func end(_ update: OtherChanges) {
        extras?.updates.removeAll { $0 === update }
        if extras?.updates.isEmpty == true { pointee.flags.remove(.updating) }
    }

    /// Tells updates in progress of a change of a value; false if there are none.
    @inline(__always)
    func noteChange(of key: ValueKey) -> Bool {
        if !pointee.flags.contains(.updating) { return false }
        tell(key)
        return true
    }

    @inline(never)
    private func tell(_ key: ValueKey) {
        for update in extras?.updates ?? [] {
            update.keys.insert(key)
        }
    }
}

extension EnvironmentScope {
    /// Ends the program in the closure of an update of this scope, which has changed this scope instead of the one that it is given.
    func endIfInOwnUpdate(_ key: ValueKey) {
        guard let current = Anchor.current?.node,
            current.inspect({ current.chain.contains { $0.isStaging && $0.next == node } })
        else { return }
        ScopeError.updateOutside(self, key).endProgram()
    }
}
