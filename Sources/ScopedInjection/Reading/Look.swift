import Synchronization

/// What a read finds at one moment, without building anything; the caller holds a line.
struct Look {
    /// The version of the decision: of a provider or a set value, or one of those that `Input` names; of a kept value the one that it
    /// was built by.
    private(set) var version = Input.byDefault
    /// The level of the scope that has the value or decides, or of the root if none does; no built value is kept further out.
    private(set) var level: Int32 = 0
    /// The builder; nil for the key's own default, and where the value is there.
    private(set) var provider: Borrowed<Provider>?
    /// The value, if it is there.
    private(set) var cell: Cell?
    /// The bits of the keys that the scopes on the way decide on.
    private(set) var between: UInt64 = 0
    /// The level of the scope whose decision was skipped; -1 if none was.
    private(set) var pastLevel: Int32 = -1
    /// The level of the scope that keeps a value which stays, for one that is not there; -1 if there is none.
    private(set) var keeper: Int32 = -1

    /// The decision on a value, whatever is kept; `past` is the version of the decision that is skipped.
    static func decide(_ key: UnsafeRawPointer, past: UInt64 = 0, from start: NodePointer) -> Look {
        Look(key, past, from: start, isKeptMeant: false)
    }

    /// What a read would return.
    static func find(_ key: UnsafeRawPointer, past: UInt64 = 0, from start: NodePointer) -> Look {
        Look(key, past, from: start, isKeptMeant: true)
    }

    /// Looks outwards, as a walk does, but at what is kept by a check.
    ///
    /// What is set or provided nearer than the scope of a role counts as always. Further out only that counts: a value that is set
    /// there is given, and a provider there is run for the scope of the role.
    @inline(__always)
    private init(_ address: UnsafeRawPointer, _ past: UInt64, from start: NodePointer, isKeptMeant: Bool) {
        let key = ValueKey.at(address)
        if key.bit == Mask.policy {
            let policy = PolicyInForce(in: start)
            (version, level) = (policy.version, policy.nearest)
            return
        }
        let role = isKeptMeant ? key.role : nil
        var (node, isPast, nearer) = (start, past == 0, Int32(-2))
        /// The level that begins what the scope at this one would.
        var own: Int32 { nearer == level - 1 ? nearer : level }
        while true {
            if let slot = node.slot(address)?.pointee {
                let version = slot.version
                if version != 0, version == past {
                    // More than one scope may carry it out.
                    (pastLevel, isPast) = (level, true)
                } else if isPast {
                    // What is current was built by what decides from here on. What an update builds anew does not go over what was there.
                    if isKeptMeant, keeper < 0, let kept = slot.cell?.kept, past == 0 || kept.pointee.decision != past,
                        Look.isCurrent(kept, of: address, in: node), past == 0 || nearer != level - 1,
                        role != nil || between & kept.pointee.mask.load(ordering: .relaxed) == 0
                            || Look.isSeen(kept, of: address, from: start, level)
                    {
                        (self.version, cell) = (kept.pointee.decision, slot.cell)
                        return
                    }
                    if version != 0 {
                        (self.version, provider, cell) = (version, slot.provider, slot.setCell)
                        if let role, keeper < 0, provider != nil, Look.levelOf(role, from: node) != nil { keeper = own }
                        return
                    }
                }
            }
            if let role {
                if keeper < 0, node.has(role) { keeper = own }
                if node.pointee.flags.contains(.beginsForNext) { nearer = level }
            }
            between |= node.pointee.decides
            guard let next = node.next else {
                if node.hasParent { version = Input.gone } else if !isPast { version = Input.lost }
                return
            }
            (node, level) = (next, level + 1)
        }
    }

    /// The value, if the asking scope itself has it.
    var ownCell: Cell? { level == 0 ? cell : nil }
    /// Whether the key's own default decides.
    var isDefault: Bool { version == Input.byDefault }
    /// Whether nothing can be read: a parent is gone, or the decision to skip is no longer there.
    var isNowhere: Bool { version == Input.gone || version == Input.lost }
    /// The level that it gives to what is built from it.
    var nearest: Int32 {
        let decided = version <= Input.lost ? .max : level
        return keeper < 0 ? decided : min(decided, keeper)
    }

    // MARK: What stays

    /// The level at which a value that stays is begun by a read of its own; nil if this read builds the value.
    ///
    /// What is built from it has to record the instance, and not what that was built from, so it is begun so for every builder.
    @inline(__always)
    func levelToBegin(hasUser: Bool) -> Int32? {
        // First what is true of all other values.
        if keeper <= pastLevel || isNowhere || keeper == 0 && !hasUser { return nil }
        return keeper
    }

    /// The level of the nearest scope of a role; nil if there is none.
    static func levelOf(_ role: ValueKey, from start: NodePointer) -> Int32? {
        start.chain.enumerated().first { $1.has(role) }.map { Int32($0.offset) }
    }

    /// The level of the scope that begins a value which has failed, where one of the inputs of that is what it was; else nil.
    static func level(of input: Input, ofFailure key: UnsafeRawPointer, from start: NodePointer) -> Int32? {
        let found = find(key, from: start)
        let keeper = found.cell == nil ? found.keeper : found.level
        guard keeper >= 0, let node = start.outwards(keeper) else { return nil }
        let version = input.isOfOther ? decide(input.key, from: node).version : found.version
        return version == input.version ? keeper : nil
    }

    // MARK: What is kept

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
        var (node, rest) = (start, level)
        while rest > 0, let next = node.next {
            if node.pointee.decides & mask != 0 {
                if node.hasRoles, hasRole(kept, of: key, node) { return false }
                let isPolicy = node.pointee.decides & mask & Mask.policy != 0
                if kept.pointee.isOnce ? isPolicy : isDecided(in: node, kept, mask, from: start, level) { return false }
            }
            (node, rest) = (next, rest - 1)
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
        var isFound = false
        node.forEachSlot { slot in
            guard !isFound, let key = slot.pointee.key, ValueKey.at(key).bit & mask != 0, slot.pointee.decides,
                kept.mayHaveInput(key)
            else { return }
            isFound = inputs.contains { $0.key == key && isReplaced($0) }
        }
        return isFound
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
                // It would be begun there; when it became an input, no scope had the role. What a decoration goes over is a part.
                if decision.cell == nil, !decision.isNowhere, input.past == 0 { return nil }
                nearest = min(nearest, level)
            }
        }
        return (nearest, mask)
    }

    /// The level at which a read would find a value that stays, which is an input; nil if it would find another one.
    private static func level(of instance: Input, onceIn role: ValueKey, from start: NodePointer) -> Int32? {
        for (level, node) in start.chain.enumerated() {
            if let slot = node.slot(instance.key)?.pointee, !slot.isEmpty {
                // First the version: another one may have been built from what asks.
                guard let cell = slot.cell, cell.version == instance.version, let kept = cell.kept else { return nil }
                return isCurrent(kept, of: instance.key, in: node) ? Int32(level) : nil
            }
            if node.has(role) { return nil }
        }
        return nil
    }

    /// Whether a kept value that is an input is still kept.
    private static func isThere(_ instance: Input, from start: NodePointer) -> Bool {
        start.chain.contains { node in
            guard let cell = node.slot(instance.key)?.pointee.cell, cell.version == instance.version else {
                return false
            }
            guard cell.kept?.isEnding == true else { return true }
            let thread = ThreadState.current
            thread.pointee.hasMetEnding = true
            return thread.pointee.activity.isCleaning
        }
    }
}
