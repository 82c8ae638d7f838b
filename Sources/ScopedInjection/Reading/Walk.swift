import Synchronization

/// What a walk finds.
struct Walked {
    /// The cell of a set or kept value; nil for a constant.
    let cell: Cell?
    /// The constant that is the value's own default.
    let constant: UnsafeRawPointer?

    /// The place of the value; `Value` must be the type of the key.
    @inline(__always)
    func address<Value>(of type: Value.Type) -> UnsafeRawPointer {
        if let cell { cell.address(of: type) } else { constant.unsafelyUnwrapped }
    }
}

extension UnsafeMutablePointer where Pointee == Node {
    /// What a read returns, if the walk finds it; the caller holds a line.
    ///
    /// A set value decides. A kept value is returned if it was checked since the last change, and no scope further in
    /// decides on anything that it was built from. Where no scope has anything, and no policy concerns it, a constant is
    /// returned.
    @inline(__always)
    func walk(_ key: ValueKey, _ level: inout Int32) -> Walked? {
        let address = key.address
        var node = self
        var between: UInt64 = 0
        while true {
            if let slot = node.slot(address) {
                if let cell = slot.pointee.cell {
                    guard let kept = cell.kept else { return Walked(cell: cell, constant: nil) }
                    // In this order, so that the mask belongs to the check.
                    let isSeen =
                        kept.pointee.checked.load(ordering: .acquiring) == node.stamp
                        && (between & kept.pointee.mask.load(ordering: .relaxed) == 0
                            || Look.isSeen(kept, of: address, from: self, level))
                    return isSeen ? Walked(cell: cell, constant: nil) : nil
                }
                if slot.pointee.provider != nil { return nil }
            }
            between |= node.pointee.decides
            guard let next = node.next else { break }
            node = next
            level &+= 1
        }
        guard let constant = key.constant, !node.hasParent, between & Mask.policy == 0 || key.isSafeInTests else {
            return nil
        }
        return Walked(cell: nil, constant: constant)
    }
}
