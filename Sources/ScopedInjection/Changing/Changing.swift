import Synchronization

/// Sets and provides values in a node.
enum Changing {
    /// Sets a value; a replaced value is let go of when no line is held.
    @inline(__always)
    static func set<Value>(_ value: consuming Value, for key: ValueKey, in node: NodePointer) {
        // Usually the scope has nothing for the key yet, so there is nothing to look up and nothing to release.
        let lines = node.startWriting()
        let bit = key.bit
        if bit != 0 || !node.hasParent, !node.pointee.hasKept {
            let slot = node.makeSlot(key.address)
            if slot.pointee.isEmpty {
                let version = node.pointee.lines.nextVersion(lines.bits.trailingZeroBitCount)
                slot.pointee.cell = Cell.make(value, key, version: version)
                node.pointee.decides |= bit
                node.countChange()
                node.finishWriting(lines)
                return
            }
        }
        node.finishWriting(lines)
        exchange(value, for: key, in: node)
    }

    /// Sets a value where the scope has an entry already, or the key needs a bit.
    @inline(never)
    private static func exchange<Value>(_ newValue: consuming Value, for key: ValueKey, in node: NodePointer) {
        // Takes up the replaced value.
        var value = newValue
        if let staging = node.staging, staging.takeEqual(value, for: key) { return }
        change(key, in: node) { slot, version, garbage in
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
        _ origin: Provider.Origin,
        _ make: @escaping TypedKey<Value>.Make
    ) {
        var replaced: SourcePlace?
        change(key.key, in: node) { slot, version, garbage in
            let known = node.base(of: slot).provider?.object
            if let known { replaced = unread(known, key.key, in: node) }
            let builder = Builder(version: version, origin, over: known, make)
            garbage.empty(slot, of: node)
            slot.pointee.provider = .retaining(builder)
            return true
        }
        guard let replaced, case .given(let place) = origin else { return }
        let (scope, places) = (node.withScope { $0 }, (ScopeError.Location(place), ScopeError.Location(replaced)))
        scope.report(ScopeEvent(.providedTwice, in: scope, of: key.key, at: places.0, saying: .formerly(places.1)))
    }

    /// The place of a builder by which nothing was built yet, where an observer wants to know that it is replaced.
    ///
    /// A transient value leaves no hint.
    private static func unread(_ known: Provider, _ key: ValueKey, in node: NodePointer) -> SourcePlace? {
        guard case .given(let place) = known.origin, known.hint.current == nil, !key.isTransient, !node.isStaging,
            node.isObservedNow
        else { return nil }
        return place
    }

    /// Gives a scope a decoration over what it has.
    static func decorate<Value: Sendable>(
        _ key: TypedKey<Value>,
        in node: NodePointer,
        _ place: SourcePlace,
        _ make: @escaping @Sendable (Value, ScopeReader) throws -> Value
    ) {
        if let staging = node.staging { return staging.refuse(key.key, "decorates") }
        change(key.key, in: node) { slot, version, garbage in
            let value = slot.pointee.setCell?.value(as: Value.self)
            let known = slot.pointee.provider?.object
            let builder = Builder<Value>(version: version, place, over: value, known, make)
            garbage.empty(slot, of: node)
            slot.pointee.provider = .retaining(builder)
            return true
        }
    }

    /// Changes the slot of a key; `body` returns whether reads have to look again, and may not use the slot after a removal.
    ///
    /// It returns the resources that were let go of.
    @discardableResult
    static func change(
        _ key: ValueKey,
        in node: NodePointer,
        isDiscard: Bool = false,
        _ body: (UnsafeMutablePointer<Slot>, _ version: UInt64, inout Garbage) -> Bool
    ) -> [Resource] {
        if !isDiscard, Staging.inProgress.load(ordering: .relaxed) > 0 { node.withScope { $0.endIfInOwnUpdate(key) } }
        var garbage = Garbage()
        let lines = startChanging(key, in: node)
        let slot = node.makeSlot(key.address)
        let version = node.pointee.lines.nextVersion(lines.bits.trailingZeroBitCount)
        if body(slot, version, &garbage) {
            if node.decides(on: key.address) { node.pointee.decides |= key.bit }
            node.countChange(of: key, &garbage)
        }
        node.letGo(&garbage, usedBy: .furtherIn)
        garbage.noteHolders(in: node)
        node.finishWriting(lines)
        if garbage.isEmpty { return [] }
        let ended = isDiscard ? garbage.resources : []
        garbage.letGo(of: node.withScope { $0 })
        return ended
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

extension EnvironmentScope {
    /// Provides the value's own default here, so that no policy further out concerns it.
    package func allowDefault(of value: ValueKey) { provideDefault(of: value, value.valueType) }

    private func provideDefault<Value>(of value: ValueKey, _: Value.Type) {
        let (key, place) = (value.typed(as: Value.self), value.declaration)
        Changing.provide(key, in: node, .given(SourcePlace(fileID: place.fileID, line: place.line))) {
            reader in
            try ThreadState.current.make { try value.make(reader, isInTests: false, into: $0) }
        }
        tellOfSet(value)
    }
}
