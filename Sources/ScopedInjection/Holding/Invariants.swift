import Synchronization

/// What is true of a node whenever nobody is changing it; looked at after each change, in debug builds.
extension UnsafeMutablePointer where Pointee == Node {
    /// Always true; the caller holds the lines of all readers.
    func checkInvariants() -> Bool {
        let readers = pointee.readers.load(ordering: .relaxed)
        assert(next?.hasReaders(readers) != false, "the readers of a node are among those of its parent")
        // A scope with thousands of values would be looked through as often.
        if pointee.capacity > 64 { return true }
        var count = 0
        forEachSlot { slot in
            count += 1
            assert(slot.pointee.provider == nil || slot.pointee.setCell == nil, "a provider lies beside a set value")
            let bit = slot.pointee.key.map { ValueKey.at($0).bit } ?? 0
            let isCovered = bit != 0 && pointee.decides & bit == bit
            // Nothing lies further out than a root, so nobody looks at what it decides on.
            assert(!slot.pointee.decides || !hasParent || isCovered, "the decisions of a node cover its slots")
            assert(slot.pointee.cell?.isSet != false || pointee.hasKept, "a node knows that it keeps values")
        }
        assert(count == pointee.count, "the count of a node is that of its keys")
        return true
    }
}
