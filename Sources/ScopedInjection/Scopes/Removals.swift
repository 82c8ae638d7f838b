/// What the removal of values leaves to be done in a node; the caller has called `startWriting`.
///
/// A removal does not look through a large table, because it holds the lines of all readers.
extension UnsafeMutablePointer where Pointee == Node {
    /// Takes note of a slot that was emptied; a bit too many in `decides` does no harm.
    ///
    /// Slots that were found before are no longer valid.
    func countRemoval() {
        pointee.removals += 1
        if pointee.capacity <= 32 || pointee.removals > pointee.capacity / 8 { compact() }
    }

    /// Takes note of slots that were emptied, and gives back their room.
    ///
    /// Slots that were found before are no longer valid.
    func compact() {
        pointee.removals = 0
        let used = countDecisions()
        if pointee.capacity > 32, used * 8 < Int(pointee.capacity) { layOut() }
    }

}
