/// Lets go of kept values that nothing shows to be out of date, and of what was built from them, also further in.
extension UnsafeMutablePointer where Pointee == Node {
    // MARK: The caller has called `startWriting`

    /// Marks a value as discarded, whether or not it is kept: a build of it may be under way.
    func markDiscarded(_ key: UnsafeRawPointer) { makeRare().discarded[key] = Discards.next() }

    /// Marks all that is kept, or may be built for this node now.
    func markKeptAsDiscarded() {
        let (rare, count) = (makeRare(), Discards.next())
        rare.allDiscarded = count
        forEachSlot { slot in
            if let key = slot.pointee.key, slot.pointee.cell?.isSet == false { rare.discarded[key] = count }
        }
    }

    // MARK: The caller holds a line

    /// Whether a value that was to be kept here has been discarded since.
    func hasDiscarded(_ key: UnsafeRawPointer, since count: UInt64) -> Bool {
        if count == Discards.count { return false }
        return rare.map { $0.allDiscarded > count || $0.discarded[key, default: 0] > count } ?? false
    }

    /// Whether one of the values has been discarded since, of those that were read from here, or is another one since a
    /// scope was moved.
    func hasDiscarded(_ inputs: UnsafeBufferPointer<Input>, since count: UInt64) -> Bool {
        if count == Discards.count { return false }
        if let level = movedLevel(since: count), inputs.contains(where: { isBuilt($0, from: level) }) { return true }
        let discarding = chain.filter { $0.rare?.discarded.isEmpty == false }
        if discarding.isEmpty { return false }
        return inputs.contains { input in
            for node in chain {
                if discarding.contains(node), node.rare?.discarded[input.key, default: 0] ?? 0 > count { return true }
                // What was read is here.
                if node.slot(input.key)?.pointee.cell != nil { return false }
            }
            return false
        }
    }

    /// The nearest level of a chain that has taken the place of another one since.
    private func movedLevel(since count: UInt64) -> Int32? {
        var level: Int32 = 0
        for node in chain {
            if let rare = node.rare {
                if rare.madeGlobal > count { return level }
                if rare.moved > count { return level + 1 }
            }
            level += 1
        }
        return nil
    }

    /// Whether an input may be a value that its own default has built in a scope from a level on: then the chain that has
    /// taken the place of the former one has another.
    private func isBuilt(_ input: Input, from level: Int32) -> Bool {
        let key = ValueKey.at(input.key)
        guard input.version == Input.byDefault, input.past != Input.instance, key.lifetime != .transient,
            key.ownDefault == .built || key.hasTestValue
        else { return false }
        guard case .cell(_, _, let found) = Look.find(input.key, past: input.past, from: self) else { return true }
        return found >= level
    }
}

extension EnvironmentScope {
    /// Lets go of all that is kept here, and returns when its cleanups have ended.
    nonisolated(nonsending) func discardKept() async {
        var garbage = Garbage()
        let lines = node.startWriting()
        node.markKeptAsDiscarded()
        if node.pointee.keptValues > 0 { node.takeKept(&garbage, .discarded) { _, _ in true } }
        node.noteChange()
        node.queueCleanups(of: &garbage)
        node.finishWriting(lines)
        letGo(of: &garbage)
        await clean()
    }

    /// Lets go of a value that is kept here, and of what was built from it, and returns when the cleanups have ended.
    nonisolated(nonsending) func discardKept(_ key: ValueKey) async {
        Changing.discard(key, in: node)
        await clean()
    }
}
