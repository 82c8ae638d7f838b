/// Sets, provides and removes values in a node.
enum Changing {
    /// The trail from a key to the one that a set or a removal concerns, along aliases; its end may be a circle.
    ///
    /// The caller has called `startWriting`.
    private static func target(of key: ValueKey, in node: NodePointer) -> Trail {
        var trail = Trail(key, past: 0)
        guard node.mayHaveAliases else { return trail }  // fault: alias-set
        trail.followAliases(in: node)
        return trail
    }

    /// Sets a value, and returns the address of the key it was stored under; a replaced value is released when no line
    /// is held.
    @inline(__always)
    static func set<Value>(_ value: consuming Value, for key: ValueKey, in node: NodePointer) -> UnsafeRawPointer {
        // Usually the scope has nothing for the key yet, so there is nothing to look up and nothing to release.
        let lines = node.startWriting()
        let bit = key.bit
        if bit != 0 || !node.hasParent, !node.mayHaveAliases {  // fault: alias-first-set
            let slot = node.makeSlot(key.address)
            if slot.pointee.isEmpty {
                let version = node.pointee.lines.nextVersion(lines.bits.trailingZeroBitCount)
                slot.pointee.cell = Cell.make(value, key, version: version)
                node.pointee.decides |= bit
                node.noteChange()
                finish(node, lines)
                return key.address
            }
        }
        node.finishWriting(lines)
        return exchange(value, for: key, in: node)
    }

    /// Takes the lines for a change, and finds the key that it concerns, which has a bit if the scope needs one.
    ///
    /// - Parameter isForwarded: Follows aliases.
    private static func startChanging(_ key: ValueKey, in node: NodePointer, isForwarded: Bool = true)
        -> (key: ValueKey, lines: Lines.Bits)
    {
        while true {
            let lines = node.startWriting()
            let trail = isForwarded ? target(of: key, in: node) : Trail(key, past: 0)
            if trail.isCircle { report(trail, node, lines) }
            if trail.key.bit != 0 || !node.hasParent { return (trail.key, lines) }  // fault: child-bit
            node.finishWriting(lines)
            trail.key.assignBit()
        }
    }

    /// Sets a value where the scope has an entry already, an alias may lead elsewhere, or the key needs a bit.
    @inline(never)
    private static func exchange<Value>(_ newValue: consuming Value, for asked: ValueKey, in node: NodePointer)
        -> UnsafeRawPointer
    {
        // Takes up the replaced value.
        var value = newValue
        var garbage = Garbage()
        let (key, lines) = startChanging(asked, in: node)
        let version = node.pointee.lines.nextVersion(lines.bits.trailingZeroBitCount)
        let slot = node.makeSlot(key.address)
        if let cell = slot.pointee.cell, cell.isSet {
            // Only values that were built from the old one have to be checked again; a read of the cell sees the new
            // value.
            if cell.exchange(&value, version: version) { node.noteChange() }  // fault: replaced-input
        } else {
            garbage.add(slot.pointee.cell)
            if let provider = slot.pointee.provider {  // fault: set-ends-provider
                slot.pointee.provider = nil
                garbage.add(provider.takeRetainedValue())
                if node.pointee.flags.contains(.aliases) { node.countDecisions() }
            }
            slot.pointee.cell = Cell.make(value, key, version: version)
            node.pointee.decides |= key.bit
            node.noteChange()
        }
        finish(node, lines)
        return key.address
    }

    /// Gives a scope a provider for a value; `isForwarded` follows aliases first.
    static func provide(
        _ asked: ValueKey,
        in node: NodePointer,
        isForwarded: Bool,
        _ make: (_ version: UInt64) -> Provider
    ) -> ValueKey {
        var garbage = Garbage()
        let (key, lines) = startChanging(asked, in: node, isForwarded: isForwarded)
        let version = node.pointee.lines.nextVersion(lines.bits.trailingZeroBitCount)
        let slot = node.makeSlot(key.address)
        empty(slot, &garbage)  // fault: provide-ends-set
        let provider = make(version)
        slot.pointee.provider = .passRetained(provider)
        node.pointee.decides |= key.bit
        if provider.target != nil { node.pointee.flags.insert(.aliases) }  // fault: alias-flag
        node.noteChange()  // fault: provide-counted
        finish(node, lines)
        return key
    }

    /// Removes all that a scope has for a value; `taken` gets the cell that a read of the scope itself would return.
    ///
    /// - Returns: The key of the value, to which aliases may have led.
    static func remove(_ key: ValueKey, in node: NodePointer, _ taken: (Cell) -> Void) -> ValueKey {
        var garbage = Garbage()
        let lines = node.startWriting()
        let trail = target(of: key, in: node)
        if trail.isCircle { report(trail, node, lines) }
        if let slot = node.slot(trail.key.address), !slot.pointee.isEmpty {
            if let cell = slot.pointee.cell {
                var look = Look()
                if case .cell(_, 0) = look.answer(Question(node: node, key: trail.key.address)) { taken(cell) }
            }
            empty(slot, &garbage)
            node.noteRemoval(of: trail.key)
            node.noteChange()  // fault: removal-counted
        }
        finish(node, lines)
        return trail.key
    }

    /// Ends a change: a thread that waits for a build here may not need it any more.
    @inline(__always)
    private static func finish(_ node: NodePointer, _ lines: Lines.Bits) {
        // No build is announced meanwhile, because that takes a line of the node's readers.
        let hasBuilds = node.pointee.builds != nil
        node.finishWriting(lines)
        if hasBuilds { Announcing.wakeWaiting(at: node) }  // fault: change-wakes
    }

    private static func empty(_ slot: UnsafeMutablePointer<Slot>, _ garbage: inout Garbage) {
        garbage.add(slot.pointee.cell)
        garbage.add(slot.pointee.provider?.takeRetainedValue())
        slot.pointee.cell = nil
        slot.pointee.provider = nil
    }

    /// Removes everything that a scope has.
    static func removeAll(in node: NodePointer) {
        var garbage = Garbage()
        let lines = node.startWriting()
        node.forEachSlot { empty($0, &garbage) }
        node.noteRemovals()
        node.noteChange()
        finish(node, lines)
    }

    /// Ends the program if aliases lead from the key to the key itself.
    static func endProgram(ifCircleFrom key: ValueKey, in node: NodePointer) {
        let lines = node.startWriting()
        let trail = target(of: key, in: node)
        if trail.isCircle { report(trail, node, lines) }  // fault: alias-declared
        node.finishWriting(lines)
    }

    /// Ends the program; the type does not say so, because the callers still own objects to release.
    private static func report(_ trail: borrowing Trail, _ node: NodePointer, _ lines: Lines.Bits) {
        node.finishWriting(lines)
        trail.error(in: node).endProgram()
    }
}

extension NodePointer {
    /// Whether a scope of the chain has an alias; the caller holds a line.
    fileprivate var mayHaveAliases: Bool {
        chain.contains { $0.pointee.flags.contains(.aliases) }
    }
}
