/// What the removal of values leaves to be done in a node; the caller has called `startWriting`.
///
/// A removal does not look through a large table, because it holds every line of a shared node.
extension UnsafeMutablePointer where Pointee == Node {
    /// Takes note of a slot that was emptied.
    ///
    /// Slots that were found before are no longer valid.
    func noteRemoval(of key: ValueKey) {
        pointee.removals += 1
        let isSmall = pointee.capacity <= 32 || pointee.removals > pointee.capacity / 8
        if isSmall || pointee.flags.contains(.aliases) { return noteRemovals() }
        // Soon found: with many keys, others have the same bit.
        if pointee.decides & key.bit != 0, !decidesOnKey(with: key.bit) {  // fault: bit-shared
            pointee.decides &= ~key.bit  // fault: bit-removed
        }
    }

    /// Takes note of slots that were emptied, and gives back their room.
    ///
    /// Slots that were found before are no longer valid.
    func noteRemovals() {
        pointee.removals = 0
        let used = countDecisions()
        if pointee.capacity > 32, used * 8 < Int(pointee.capacity) { layOut() }  // fault: shrunk
    }

    private func decidesOnKey(with bit: UInt64) -> Bool {
        for index in 0..<Int(pointee.capacity) {
            let slot = pointee.slots + index
            if let key = slot.pointee.key, slot.pointee.decides, ValueKey.at(key).bit == bit { return true }
        }
        return false
    }
}
