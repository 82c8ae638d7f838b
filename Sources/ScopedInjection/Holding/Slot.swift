/// The entry of a node for one key.
struct Slot {
    /// The address of the key; nil in a free slot.
    var key: UnsafeRawPointer?
    /// The value: set, or built and kept.
    var cell: Cell?
    /// The provider; owned, and never beside a set value.
    var provider: Borrowed<Provider>?

    /// Whether it is the entry for a key.
    @inline(__always)
    func isOf(_ key: UnsafeRawPointer) -> Bool {
        // As numbers: to compare an optional with a pointer takes three times as many instructions.
        UInt(bitPattern: self.key) == UInt(bitPattern: key)
    }

    /// Whether the scope decides on the value.
    var decides: Bool { provider != nil || cell?.isSet == true }
    var isEmpty: Bool { provider == nil && cell == nil }

    /// That of the decision; 0 for none.
    var version: UInt64 { provider?.version ?? setCell?.version ?? 0 }

    /// The cell of a set value.
    var setCell: Cell? { cell.flatMap { $0.isSet ? $0 : nil } }
}

// MARK: The table of a node

extension UnsafeMutablePointer where Pointee == Node {
    /// The slot of a key; made if there is none.
    func makeSlot(_ key: UnsafeRawPointer) -> UnsafeMutablePointer<Slot> {
        assert(isHeldForWriting, "a reader's line is not held")
        if let slot = slot(key) { return slot }
        if pointee.count == Self.most(in: pointee.capacity) { layOut() }
        pointee.count += 1
        let slot = freeSlot(for: key)
        slot.pointee.key = key
        return slot
    }

    /// How many slots are used at most: a search ends at a free one, but within the node, and soon in a large table.
    private static func most(in capacity: UInt32) -> UInt32 {
        capacity == 3 ? 3 : capacity == 8 ? 7 : capacity / 4 * 3
    }

    /// A slot that the caller gives to a key.
    private func freeSlot(for key: UnsafeRawPointer) -> UnsafeMutablePointer<Slot> {
        let slots = pointee.slots
        if pointee.capacity == 3 { return slots + Int(pointee.count) - 1 }
        let (hash, mask) = (ValueKey.hash(key), Int(pointee.capacity) - 1)
        pointee.hashes |= ValueKey.hashBit(of: hash)
        var index = hash & mask
        while slots[index].key != nil { index = (index + 1) & mask }
        return slots + index
    }

    /// Moves the slots that are not empty to a table of the right size.
    func layOut() {
        let (old, oldCapacity) = (pointee.slots, Int(pointee.capacity))
        var used = 0
        forEachSlot { if !$0.pointee.isEmpty { used += 1 } }
        var size = 8
        // With room for some more, or else a scope that sets and removes ever other values would do this each time.
        while (used + used / 4 + 1) * 4 > size * 3 { size *= 2 }
        pointee.slots = .allocate(capacity: size)
        pointee.slots.initialize(repeating: Slot(), count: size)
        pointee.capacity = UInt32(size)
        (pointee.count, pointee.hashes) = (UInt32(used), 0)
        for index in 0..<oldCapacity {
            let slot = old[index]
            if let key = slot.key, !slot.isEmpty { freeSlot(for: key).pointee = slot }
        }
        if oldCapacity > 3 { old.deallocate() }
    }

    /// Computes `decides` from the slots; returns how many of them are not empty.
    @discardableResult
    func countDecisions() -> Int {
        var used = 0
        var decides = pointee.flags.contains(.everyRole) ? Mask.everything : Mask.pinned | (pointee.role?.bit ?? 0)
        forEachSlot { slot in
            if !slot.pointee.isEmpty { used += 1 }
            guard slot.pointee.decides, let key = slot.pointee.key else { return }
            decides |= ValueKey.at(key).bit
        }
        pointee.decides = decides
        return used
    }

    // MARK: Removals, after which a large table is not looked through each time, because all readers wait

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
