import Synchronization

/// Removes values from a node, and lets go of what it keeps.
///
/// A build that is under way goes along: what it has begun is thrown away where the node would have kept it.
extension Changing {
    /// Removes all that a scope has for a value; `taken` gets the cell that a read of the scope itself would return.
    static func remove(_ key: ValueKey, in node: NodePointer, _ taken: (Cell) -> Void) {
        if let staging = node.staging { return staging.refuse(key, "removes") }
        change(key, in: node) { slot, _, garbage in
            node.throwAwayBuilds { $0.key == key }
            // A build that is not announced is told by the stamp.
            if slot.pointee.isEmpty { return true }
            if let cell = Look.find(key.address, from: node).ownCell { taken(cell) }
            let wasUsed = slot.pointee.decides || slot.pointee.cell?.isInput == true
            garbage.empty(slot, of: node)
            node.countRemoval()
            // A kept value that nothing was built from leaves nothing to be checked.
            return wasUsed
        }
    }

    /// Lets go of a value that is kept in a scope, and of what was built from it; returns what has to end.
    static func discard(_ key: ValueKey, in node: NodePointer) -> [Resource] {
        change(key, in: node, isDiscard: true) { slot, _, garbage in
            node.throwAwayBuilds { $0.key == key }
            if slot.pointee.setCell == nil { garbage.takeCell(of: slot, of: node, .discarded) }
            node.countRemoval()
            return true
        }
    }

    /// Lets go of all that is kept in a scope, and of what was built from that; what was set or provided stays.
    static func discardAll(in node: NodePointer) -> [Resource] {
        node.withScope { $0 }.letGo(.furtherIn) { garbage in
            node.throwAwayBuilds { _ in true }
            if node.pointee.hasKept { node.takeKept(.all, &garbage, .discarded) }
            node.countChange()
            return garbage.resources
        }
    }
}

extension UnsafeMutablePointer where Pointee == Node {
    /// Lets no build keep its value here that is under way now; the caller has called `startWriting`.
    ///
    /// The threads that build below the node are among its readers.
    fileprivate func throwAwayBuilds(where isConcerned: (Build) -> Bool) {
        let lines = pointee.lines
        for line in linesOfReaders {
            var at = lines.builds(line)
            while let build = at {
                at = build.with { build in
                    if isConcerned(build) { build.throwAway(in: self) }
                    return build.nextOnLine
                }
            }
        }
    }
}
