/// Finds values that are begun once in the nearest scope of a role, and stay there; the caller holds a line.
///
/// What is set or provided nearer than that scope counts as always. Further out only that counts: a value that is set there is given,
/// and a provider there is run for the scope of the role.
extension Look {
    /// What a read would return.
    @inline(never)
    static func find(
        _ key: UnsafeRawPointer,
        onceIn role: ValueKey,
        past: UInt64,
        from start: NodePointer
    ) -> Answer {
        var (node, level, passed, keeper, nearer) = (start, Int32(0), UInt64(0), Int32(-1), Int32(-2))
        var pastLevel: Int32? = past == 0 ? -1 : nil
        /// The level that begins what the scope at this one would.
        var own: Int32 { nearer == level - 1 ? nearer : level }
        func decision(_ version: UInt64, _ slot: Slot? = nil) -> Decision {
            Decision(
                version: version,
                level: level,
                provider: slot?.provider,
                cell: slot?.setCell,
                passed: passed,
                pastLevel: pastLevel ?? -1,
                keeper: keeper < 0 && slot?.provider != nil && levelOf(role, from: node) != nil ? own : keeper
            )
        }
        while true {
            if let slot = node.slot(key)?.pointee {
                let version = slot.version
                if version != 0, version == past {
                    pastLevel = level
                } else if pastLevel == nil {
                } else if let set = slot.setCell {
                    return .cell(set, decision(version, slot), level: level)
                } else if keeper < 0, let cell = slot.cell, let kept = cell.kept, isCurrent(kept, of: key, in: node),
                    past == 0 || kept.pointee.decision != past
                {
                    return .cell(cell, decision(kept.pointee.decision, slot), level: level)
                } else if version != 0 {
                    return .unbuilt(decision(version, slot))
                }
            }
            if keeper < 0, node.has(role) { keeper = own }
            if node.pointee.flags.contains(.beginsForNext) { nearer = level }
            passed |= node.pointee.decides
            guard node.hasParent else { return .unbuilt(decision(pastLevel == nil ? Input.lost : Input.byDefault)) }
            guard let next = node.next else { return .unbuilt(decision(Input.gone)) }
            (node, level) = (next, level + 1)
        }
    }

    /// The level of the nearest scope of a role; nil if there is none.
    static func levelOf(_ role: ValueKey, from start: NodePointer) -> Int32? {
        start.chain.enumerated().first { $1.has(role) }.map { Int32($0.offset) }
    }

    /// The level of the scope that begins a value which has failed, where one of the inputs of that is what it was; else nil.
    static func level(of input: Input, ofFailure key: UnsafeRawPointer, from start: NodePointer) -> Int32? {
        var (decision, keeper) = (Decision?.none, Int32(-1))
        switch find(key, from: start) {
        case .unbuilt(let unbuilt): (decision, keeper) = (unbuilt, unbuilt.keeper)
        case .cell(_, let found, let level): (decision, keeper) = (found, level)
        }
        guard keeper >= 0, let node = start.outwards(keeper) else { return nil }
        if input.isOfOther { decision = decide(input.key, from: node) }
        return decision?.version == input.version ? keeper : nil
    }

    /// The level at which a read would find a value that stays, which is an input; nil if it would find another one.
    static func level(of instance: Input, onceIn role: ValueKey, from start: NodePointer) -> Int32? {
        for (level, node) in start.chain.enumerated() {
            if let slot = node.slot(instance.key)?.pointee, !slot.isEmpty {
                return slot.keeps(instance, in: node) ? Int32(level) : nil
            }
            if node.has(role) { return nil }
        }
        return nil
    }
}

extension Slot {
    /// Whether a kept value that is an input is still there.
    func keeps(_ instance: Input, in node: NodePointer) -> Bool {
        guard let cell, cell.version == instance.version else { return false }
        guard let kept = cell.kept else { return true }
        if ValueKey.at(instance.key).role == nil {
            if !kept.isEnding { return true }
            let thread = ThreadState.current
            thread.pointee.hasMetEnding = true
            return thread.pointee.activity.isCleaning
        }
        // Its own inputs are not among those of what was built from it.
        return Look.isCurrent(kept, of: instance.key, in: node)
    }
}

extension Decision {
    /// Whether a value that stays is begun by it where a scope has its role; if it is an input, none had.
    var wouldBegin: Bool { cell == nil && !isNowhere }

    /// Whether what it has begun is a live default, and forbidden where it is asked for.
    func isForbidden(_ key: ValueKey, from start: NodePointer) -> Bool {
        Input.isDefault(version) && key.role != nil && passed & Mask.policy != 0 && key.hasLiveDefault
            && PolicyInForce(in: start).policy == .forbidden
    }

    /// The level at which a value that stays is begun by a read of its own; nil if this read builds the value.
    ///
    /// What is built from it has to record the instance, and not what that was built from, so it is begun so for every builder.
    @inline(__always)
    func levelToBegin(hasUser: Bool) -> Int32? {
        // First what is true of all other values.
        if keeper <= pastLevel || isNowhere || keeper == 0 && !hasUser { return nil }
        return keeper
    }
}
