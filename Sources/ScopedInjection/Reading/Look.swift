import Synchronization

/// Finds what reads would return at one moment, without building anything; the caller holds a line.
enum Look {
    enum Answer {
        /// The value in a cell, and the level of its scope.
        case cell(Cell, Decision, level: Int32)
        /// The value is not there, and would have to be built, or is a constant.
        case unbuilt(Decision)
    }

    /// The decision on a value; `past` is the version of the decision that is skipped.
    static func decide(_ key: UnsafeRawPointer, past: UInt64 = 0, from start: NodePointer) -> Decision {
        decide(key, past: past, from: start) { _, _ in }
    }

    /// The same, for a function that is called with each node that is passed by, and its level.
    @inline(__always)
    private static func decide(
        _ key: UnsafeRawPointer,
        past: UInt64,
        from start: NodePointer,
        _ pass: (NodePointer, Int32) -> Void
    ) -> Decision {
        if ValueKey.at(key).bit == Mask.policy {
            let policy = PolicyInForce(in: start)
            return Decision(version: policy.version, level: policy.nearest)
        }
        var (node, level, passed) = (start, Int32(0), UInt64(0))
        var pastLevel: Int32? = past == 0 ? -1 : nil
        var mayBeKept = false
        func decision(_ version: UInt64, _ slot: Slot? = nil) -> Decision {
            Decision(
                version: version,
                level: level,
                provider: slot?.provider,
                cell: slot?.setCell,
                passed: passed,
                mayBeKept: mayBeKept,
                pastLevel: pastLevel ?? -1
            )
        }
        while true {
            if let slot = node.slot(key)?.pointee {
                let version = slot.version
                if slot.cell != nil { mayBeKept = true }
                if version != 0 {
                    // More than one scope may carry it out.
                    if version == past { pastLevel = level } else if pastLevel != nil { return decision(version, slot) }
                }
            }
            pass(node, level)
            passed |= node.pointee.decides
            guard node.hasParent else { return decision(pastLevel == nil ? Input.lost : Input.byDefault) }
            guard let next = node.next else { return decision(Input.gone) }
            (node, level) = (next, level + 1)
        }
    }

    /// What a read would return.
    static func find(_ key: UnsafeRawPointer, past: UInt64 = 0, from start: NodePointer) -> Answer {
        if let role = ValueKey.at(key).role { return find(key, onceIn: role, past: past, from: start) }
        return find(key, decide(key, past: past, from: start), from: start)
    }

    /// The same, with what is seen on the way.
    static func find(_ key: ValueKey, past: UInt64, from start: NodePointer, _ sight: inout Sight) -> Answer {
        if let role = key.role {
            sight.passAll(from: start, 0)
            return find(key.address, onceIn: role, past: past, from: start)
        }
        var last: (node: NodePointer?, level: Int32) = (start, 0)
        let decision = decide(key.address, past: past, from: start) { node, level in
            sight.pass(node, level)
            last = (node.next, level &+ 1)
        }
        // Those further out than the one that decides.
        if let node = last.node { sight.passAll(from: node, last.level) }
        // The usual answer, without a copy of the decision for one more call.
        if decision.cell == nil, !decision.mayBeKept { return .unbuilt(decision) }
        return find(key.address, decision, from: start)
    }

    @inline(__always)
    private static func find(_ key: UnsafeRawPointer, _ decision: Decision, from start: NodePointer) -> Answer {
        if let cell = decision.cell { return .cell(cell, decision, level: decision.level) }
        if decision.isNowhere || !decision.mayBeKept { return .unbuilt(decision) }
        var (node, level, passed) = (start, Int32(0), UInt64(0))
        while true {
            // What is current up to the deciding level was built by that decision.
            if level > decision.pastLevel, let cell = node.slot(key)?.pointee.cell, let kept = cell.kept,
                kept.pointee.decision == decision.version, isCurrent(kept, of: key, in: node),
                passed & kept.pointee.mask.load(ordering: .relaxed) == 0 || isSeen(kept, of: key, from: start, level)
            {
                return .cell(cell, decision, level: level)
            }
            guard level < decision.level, let next = node.next else { return .unbuilt(decision) }
            passed |= node.pointee.decides
            (node, level) = (next, level + 1)
        }
    }

    /// Whether the decision on a kept value, and all of its inputs, are what reads of its keeper would find now.
    static func isCurrent(
        _ kept: UnsafeMutablePointer<Kept>,
        of key: UnsafeRawPointer,
        in keeper: NodePointer
    ) -> Bool {
        let stamp = keeper.stamp
        let checked = kept.pointee.checked.load(ordering: .acquiring)
        if checked == stamp { return true }
        let thread = ThreadState.current
        if checked == Kept.ending {
            thread.pointee.hasMetEnding = true
            if !thread.pointee.activity.isCleaning { return false }
        } else {
            assert(checked <= stamp, "a stamp only grows")
        }
        // Others are not given by this what only cleanups are.
        let isNoted = !thread.pointee.activity.isCleaning
        if kept.pointee.isOnce {
            // What stays is current until it is taken out.
            kept.pointee.mask.store(ValueKey.at(key).maskOfBegun(by: kept.pointee.decision), ordering: .relaxed)
            if isNoted { kept.pointee.checked.store(stamp, ordering: .releasing) }
            return true
        }
        guard decide(key, from: keeper).version == kept.pointee.decision,
            let (_, mask) = check(kept.inputs, from: keeper)
        else { return false }
        // In this order, so that the mask belongs to the check.
        kept.pointee.mask.store(mask | (kept.isPinned ? Mask.pinned : 0), ordering: .relaxed)
        if isNoted { kept.pointee.checked.store(stamp, ordering: .releasing) }
        return true
    }

    /// Whether no scope further in than the keeper decides on anything that a kept value was built from.
    ///
    /// For values whose mask cannot tell, because keys share bits.
    @inline(never)
    static func isSeen(
        _ kept: UnsafeMutablePointer<Kept>,
        of key: UnsafeRawPointer,
        from start: NodePointer,
        _ level: Int32
    ) -> Bool {
        let mask = kept.pointee.mask.load(ordering: .relaxed)
        if mask & Mask.pinned != 0 { return false }
        var (node, left) = (start, level)
        while left > 0, let next = node.next {
            if node.pointee.decides & mask != 0 {
                if node.hasRoles, hasRole(kept, of: key, node) { return false }
                let isPolicy = node.pointee.decides & mask & Mask.policy != 0
                if kept.pointee.isOnce ? isPolicy : isDecided(in: node, kept, mask, from: start, level) { return false }
            }
            (node, left) = (next, left - 1)
        }
        return true
    }

    /// Whether a scope begins a value of its own for a kept one that stays, or for one that this was built from.
    private static func hasRole(
        _ kept: UnsafeMutablePointer<Kept>,
        of key: UnsafeRawPointer,
        _ node: NodePointer
    ) -> Bool {
        if kept.pointee.isOnce { return ValueKey.at(key).role.map { node.has($0) } == true }
        return kept.inputs.contains { input in
            !input.isOfOther && ValueKey.at(input.key).role.map { node.has($0) } == true
        }
    }

    /// Looks for the inputs in the scope, or for what the scope decides on among the inputs, whichever is less.
    private static func isDecided(
        in node: NodePointer,
        _ kept: UnsafeMutablePointer<Kept>,
        _ mask: UInt64,
        from start: NodePointer,
        _ level: Int32
    ) -> Bool {
        func isReplaced(_ input: Input) -> Bool {
            // What is read past a decision further out does not depend on the scopes in between.
            if input.isOfOther { return node.pointee.flags.contains(.beginsForNext) }
            if input.past != 0 { return input.isMarked && ValueKey.at(input.key).role != nil }
            if ValueKey.at(input.key).bit != Mask.policy { return true }
            // The same policy is the same decision, as long as it holds without a break.
            let policy = PolicyInForce(in: start)
            return input.version != policy.version || policy.nearest < level
        }
        let inputs = kept.inputs
        if inputs.count < node.pointee.capacity {
            return inputs.contains {
                ValueKey.at($0.key).bit & node.pointee.decides != 0 && node.decides(on: $0.key) && isReplaced($0)
            }
        }
        // The slots within a node are used from the first one on.
        for index in 0..<Int(node.pointee.capacity == 3 ? node.pointee.count : node.pointee.capacity) {
            let slot = node.pointee.slots + index
            guard let key = slot.pointee.key, ValueKey.at(key).bit & mask != 0, slot.pointee.decides,
                kept.mayHaveInput(key)
            else { continue }
            for position in 0..<inputs.count where inputs[position].key == key && isReplaced(inputs[position]) {
                return true
            }
        }
        return false
    }

    /// The nearest level that decides one of the inputs, and the bits of their keys; nil if a read would find another one.
    static func check(
        _ inputs: UnsafeBufferPointer<Input>,
        from node: NodePointer
    ) -> (nearest: Int32, mask: UInt64)? {
        var (nearest, mask) = (Int32.max, UInt64(0))
        for input in inputs {
            let role = ValueKey.at(input.key).role
            if input.isMarked {
                if let failed = input.failed {
                    guard let level = level(of: input, ofFailure: failed, from: node) else { return nil }
                    nearest = min(nearest, level)
                    // A policy further in than that scope does not concern it.
                    mask |= ValueKey.at(input.key).bit & ~Mask.policy
                    mask |= ValueKey.at(failed).bit | ValueKey.at(failed).roleBit
                } else if let role {
                    guard let level = level(of: input, onceIn: role, from: node) else { return nil }
                    nearest = min(nearest, level)
                    mask |= ValueKey.at(input.key).bit | role.bit
                } else {
                    guard isThere(input, from: node) else { return nil }
                }
                continue
            }
            let decision = decide(input.key, past: input.past, from: node)
            guard decision.version == input.version else { return nil }
            nearest = min(nearest, decision.nearest)
            mask |= ValueKey.at(input.key).bit
            guard let role else { continue }
            mask |= role.bit
            if let level = levelOf(role, from: node) {
                // What a decoration goes over is a part of that.
                if decision.wouldBegin, input.past == 0 { return nil }
                nearest = min(nearest, level)
            }
        }
        return (nearest, mask)
    }

    /// Whether a kept value that is an input is still kept.
    static func isThere(_ instance: Input, from start: NodePointer) -> Bool {
        var at: NodePointer? = start
        while let node = at {
            if let slot = node.slot(instance.key)?.pointee, slot.keeps(instance, in: node) { return true }
            at = node.next
        }
        return false
    }
}
