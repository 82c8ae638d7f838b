import Synchronization

/// Finds the scopes further in that keep something to end: each lies in a list of a line, from the first resource to the end of the
/// last.
extension UnsafeMutablePointer where Pointee == Node {
    /// Adds the node to the list of a line of its readers; the caller has called `startWriting`.
    func beginKeeping() {
        if pointee.keeperLine >= 0 { return }
        let (lines, line) = (pointee.lines, pointee.readers.load(ordering: .relaxed).trailingZeroBitCount)
        let next = lines.keepers(line).map { $0.assumingMemoryBound(to: Node.self) }
        pointee.nextKeeper = next
        next?.pointee.previousKeeper = self
        lines.setKeepers(self, line)
        pointee.keeperLine = Int8(truncatingIfNeeded: line)
        countKeepers(1)
    }

    /// Takes it out again, if it keeps nothing more, and no turn of a closing runs; the caller has called `startWriting`, or nobody else
    /// can reach the node.
    func endKeeping() {
        if pointee.keeperLine < 0 || pointee.cleanups != nil || extras?.late != nil || pointee.flags.contains(.closing)
        {
            return
        }
        let (next, previous) = (pointee.nextKeeper, pointee.previousKeeper)
        if let previous {
            previous.pointee.nextKeeper = next
        } else {
            pointee.lines.setKeepers(next, Int(pointee.keeperLine))
        }
        next?.pointee.previousKeeper = previous
        (pointee.nextKeeper, pointee.previousKeeper, pointee.keeperLine) = (nil, nil, -1)
        countKeepers(-1)
    }

    /// Lets the scopes further out know without a search whether there are any further in.
    private func countKeepers(_ change: Int) {
        guard let up = pointee.up, up.kind != .global else { return }
        // Its line is among the readers, since the node was made on it.
        up.keepers &+= change
        var node = up.node
        while let handle = node?.pointee.up, handle.kind != .global {
            handle.with { _ = $0.keepersFurtherIn.wrappingAdd(change, ordering: .relaxed) }
            node = handle.node
        }
    }

    /// The scopes further in that keep something to end; the caller has called `startWriting`.
    func keepersFurtherIn() -> [NodePointer] {
        if !mayHaveKeepersFurtherIn { return [] }
        var found: [NodePointer] = []
        let lines = pointee.lines
        for line in linesOfReaders {
            var at = lines.keepers(line)?.assumingMemoryBound(to: Node.self)
            while let node = at {
                if node.isFurtherIn(than: self) { found.append(node) }
                at = node.pointee.nextKeeper
            }
        }
        return found
    }
}
