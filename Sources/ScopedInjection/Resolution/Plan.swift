import Synchronization

/// How a missing value is to be built, as found at one moment.
struct Plan: ~Copyable {
    /// How the read came to the key that is to be built.
    let trail: Trail
    let decision: Decision
    /// The builder, kept for as long as the plan; nil for the key's own.
    let provider: Provider?
    /// The stamp of the asking scope.
    let stamp: UInt64
    let policy: Policy.Outcome
    /// Whether the asking scope or one of its ancestors has an observer.
    let isObserved: Bool
    /// The level of the probable keeper, by the hint.
    let place: Int32
    /// The key under which the probable keeper will keep the value.
    let announcedKey: ValueKey
    /// How many builds of the probable keeper have ended; see `Node`.
    let endedBuilds: UInt32
    /// The handle of the probable keeper, if that is not the asking scope; owned.
    let placeHandle: Unmanaged<Handle>?

    /// The caller holds a line.
    init(_ trail: consuming Trail, _ decision: Decision, in node: NodePointer) {
        let (key, past) = (trail.key, trail.past)
        self.trail = trail
        self.decision = decision
        provider = decision.provider?.takeUnretainedValue()
        stamp = node.stamp
        policy =
            decision.isDefault && !key.isSafeInTests && decision.passed & Mask.policy != 0
            ? Policy.outcome(in: node) : .free  // fault: policy-mask
        var isObserved = false
        var place: Int32 = 0
        var at = node
        let hint = decision.provider.map { $0._withUnsafeGuaranteedRef { $0.hint.current } } ?? key.base.hint
        let passed = past == 0 ? nil : key.base
        let expected = hint?._withUnsafeGuaranteedRef { $0.level(from: node, limit: decision.level, except: passed) }
        let wanted: Int32 = key.lifetime == .shared ? expected ?? decision.level : 0
        var level: Int32 = 0
        var handle: Unmanaged<Handle>?
        var ended = node.pointee.endedBuilds.load(ordering: .relaxed)
        while true {
            if at.pointee.flags.contains(.observed) { isObserved = true }
            if level == wanted, level > 0 {
                place = level
                handle = at.anyHandle?.retain()
                ended = at.pointee.endedBuilds.load(ordering: .relaxed)
            }
            guard let next = at.next else { break }
            at = next
            level += 1
        }
        self.isObserved = isObserved
        self.place = place
        announcedKey = Question(node: node, key: key.address, past: past).place(at: place)
        placeHandle = handle
        endedBuilds = ended
    }

    var key: ValueKey { trail.key }
    /// The version of the skipped decision.
    var past: UInt64 { trail.past }

    deinit { placeHandle?.release() }

    /// What the last run of the builder read; the caller holds a line.
    var hint: Unmanaged<Hint>? { if let provider { provider.hint.current } else { key.base.hint } }

    func setHint(_ hint: Hint) { if let provider { provider.hint.set(hint) } else { key.base.setHint(hint) } }
}

extension Hint {
    /// The level at which the value will be kept if its builder reads the same keys; the caller holds a line.
    ///
    /// - Parameter passed: The value whose decision the read skips: a scope that decides on it is no reason to stop there.
    func level(from node: NodePointer, limit: Int32, except passed: ValueKey?) -> Int32 {
        if isPinned { return 0 }  // fault: hint-pinned
        let mask = mask {
            var late: UInt64 = 0
            _ = anyKey(readFrom: node) { key in
                late |= key.bit
                return false
            }
            return late
        }
        let concerned = mask & ~Mask.pinned & ~(passed?.bit ?? 0)
        var at = node
        var level: Int32 = 0
        while level < limit {
            let common = at.pointee.decides & concerned  // fault: hint-mask
            if common != 0, !Mask.isShared || common & Mask.policy != 0 || names(anyOf: at, from: node) { return level }
            guard let next = at.next else { return level }
            at = next
            level += 1
        }
        return limit
    }

    /// Whether a scope decides on a key that the builder read, directly or through other values.
    ///
    /// It is for programs with more keys than bits, in which a common bit alone means nothing.
    private func names(anyOf scope: NodePointer, from node: NodePointer) -> Bool {
        anyKey(readFrom: node) { key in scope.slot(key.address)?.pointee.decides == true }
    }

    /// Whether a key that the builder read, directly or through other values, meets a condition, by the hints in the
    /// chain.
    private func anyKey(readFrom node: NodePointer, _ condition: (ValueKey) -> Bool) -> Bool {
        var seen: Set<UnsafeRawPointer> = []
        var pending: [ValueKey] = []
        forEachKey { pending.append($0.base) }
        while let key = pending.popLast() {
            guard seen.insert(key.address).inserted else { continue }
            if condition(key) { return true }
            let provider = Look.decide(Question(node: node, key: key.address)).provider
            let hint = provider.map { $0._withUnsafeGuaranteedRef { $0.hint.current } } ?? key.hint
            hint?._withUnsafeGuaranteedRef { $0.forEachKey { pending.append($0.base) } }
        }
        return false
    }
}

extension NodePointer {
    /// Any handle of a shared node; the caller holds a line.
    var anyHandle: Unmanaged<Handle>? {
        guard let handles = pointee.handles.load(ordering: .acquiring) else { return nil }
        for line in 0..<Lines.count {
            if let handle = handles[line].load(ordering: .acquiring) { return handle }
        }
        return nil
    }
}
