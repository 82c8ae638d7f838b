/// Sets, provides and removes values in a node.
enum Changing {
    /// The key that a change concerns, along aliases; ends the program if they go round in a circle.
    private static func target(of asked: ValueKey, in node: NodePointer) -> ValueKey {
        if !asked.wasAliased { return asked }
        let (trail, end) = node.whileReading { Look.trail(of: asked, from: node) }
        if case .unbuilt(let decision) = end.answer, decision.target != nil {
            ScopeError.circle(of: trail, searched: nil).endProgram()
        }
        return end.key
    }

    /// Sets a value; a replaced value is let go of when no line is held.
    @inline(__always)
    static func set<Value>(_ value: consuming Value, for key: ValueKey, in node: NodePointer) {
        // Usually the scope has nothing for the key yet, so there is nothing to look up and nothing to release.
        let lines = node.startWriting()
        let bit = key.bit
        if bit != 0 || !node.hasParent, !key.wasAliased, node.pointee.keptValues == 0 {
            let slot = node.makeSlot(key.address)
            if slot.pointee.isEmpty {
                let version = node.pointee.lines.nextVersion(lines.bits.trailingZeroBitCount)
                slot.pointee.cell = Cell.make(value, key, version: version)
                node.pointee.decides |= bit
                node.noteChange()
                node.finishWriting(lines)
                return
            }
        }
        node.finishWriting(lines)
        exchange(value, for: key, in: node)
    }

    /// Sets a value where the scope has an entry already, an alias may lead elsewhere, or the key needs a bit.
    @inline(never)
    private static func exchange<Value>(_ newValue: consuming Value, for asked: ValueKey, in node: NodePointer) {
        // Takes up the replaced value.
        var value = newValue
        change(asked, in: node) { key, slot, version, garbage in
            if let cell = slot.pointee.setCell {
                // Only what was built from the old value has to be checked again; a read of the cell sees the new one.
                return cell.exchange(&value, version: version)
            }
            garbage.empty(slot, of: node)
            slot.pointee.cell = Cell.make(value, key, version: version)
            return true
        }
    }

    /// Gives a scope a builder for a value, below the decorations that it has.
    static func provide<Value>(
        _ key: TypedKey<Value>,
        in node: NodePointer,
        _ place: SourcePlace,
        _ make: @escaping TypedKey<Value>.Make
    ) {
        change(key.key, in: node) { _, slot, version, garbage in
            let builder = Builder(version: version, place, over: slot.pointee.provider?.takeUnretainedValue(), make)
            garbage.empty(slot, of: node)
            slot.pointee.provider = .passRetained(builder)
            return true
        }
    }

    /// Gives a scope a decoration over what it has.
    static func decorate<Value: Sendable>(
        _ key: TypedKey<Value>,
        in node: NodePointer,
        _ place: SourcePlace,
        _ make: @escaping @Sendable (Value, ScopeReader) throws -> Value
    ) {
        change(key.key, in: node) { _, slot, version, garbage in
            let value = slot.pointee.setCell?.value(as: Value.self)
            let known = slot.pointee.provider?.takeUnretainedValue()
            let builder = Builder<Value>(version: version, place, over: value, known, make)
            garbage.empty(slot, of: node)
            slot.pointee.provider = .passRetained(builder)
            return true
        }
    }

    /// Makes a key an alias of another one in a scope; ends the program if that closes a circle.
    static func alias(_ key: ValueKey, to target: ValueKey, in node: NodePointer) {
        key.noteAlias()
        change(key, isForwarded: false, in: node) { _, slot, version, garbage in
            garbage.empty(slot, of: node)
            slot.pointee.provider = .passRetained(Provider(version: version, .alias(of: target)))
            return true
        }
        _ = Self.target(of: key, in: node)
    }

    /// Removes all that a scope has for a value; `taken` gets the cell that a read of the scope itself would return.
    static func remove(_ asked: ValueKey, in node: NodePointer, _ taken: (Cell) -> Void) {
        change(asked, in: node) { key, slot, _, garbage in
            if slot.pointee.isEmpty { return false }
            if case .cell(let cell, _, 0) = Look.find(key.address, from: node) { taken(cell) }
            if slot.pointee.cell?.isSet == false { node.markDiscarded(key.address) }
            let wasUsed = slot.pointee.decides || slot.pointee.cell?.isInput == true
            garbage.empty(slot, of: node)
            node.noteRemoval()
            // A kept value that nothing was built from leaves nothing to be checked.
            return wasUsed
        }
    }

    /// Lets go of a value that is kept in a scope, and of what was built from it.
    static func discard(_ asked: ValueKey, in node: NodePointer) {
        change(asked, in: node) { key, slot, _, garbage in
            node.markDiscarded(key.address)
            if slot.pointee.setCell == nil { garbage.takeCell(of: slot, of: node, .discarded) }
            node.noteRemoval()
            return true
        }
    }

    /// Removes everything that a scope has, but for its policy.
    static func removeAll(in node: NodePointer) {
        var garbage = Garbage()
        let lines = node.startWriting()
        node.markKeptAsDiscarded()
        node.forEachSlot { if $0.pointee.key != DefaultsPolicy.key.address { garbage.empty($0, of: node) } }
        node.noteRemovals()
        node.noteChange()
        node.queueCleanups(of: &garbage)
        node.finishWriting(lines)
        node.withScope { $0 }.letGoAndClean(&garbage)
    }

    /// Changes the slot of a key; `body` returns whether reads have to look again, and may not use the slot after a removal.
    private static func change(
        _ asked: ValueKey,
        isForwarded: Bool = true,
        in node: NodePointer,
        _ body: (ValueKey, UnsafeMutablePointer<Slot>, _ version: UInt64, inout Garbage) -> Bool
    ) {
        var garbage = Garbage()
        let key = isForwarded ? target(of: asked, in: node) : asked
        let lines = startChanging(key, in: node)
        let slot = node.makeSlot(key.address)
        let version = node.pointee.lines.nextVersion(lines.bits.trailingZeroBitCount)
        if body(key, slot, version, &garbage) {
            if node.decides(on: key.address) { node.pointee.decides |= key.bit }
            node.noteChange(of: key, &garbage)
        }
        node.queueCleanups(of: &garbage)
        node.finishWriting(lines)
        if !garbage.isEmpty { node.withScope { $0 }.letGoAndClean(&garbage) }
    }

    /// Takes the lines for a change of a key, which has a bit if the scope needs one.
    private static func startChanging(_ key: ValueKey, in node: NodePointer) -> Lines.Bits {
        while true {
            let lines = node.startWriting()
            if key.bit != 0 || !node.hasParent { return lines }
            node.finishWriting(lines)
            key.assignBit()
        }
    }
}
