import Synchronization

/// How a missing value is to be built, as found at one moment.
struct Plan: ~Copyable {
    let key: ValueKey
    /// The version of the decision that the read skips; 0 for none.
    let past: UInt64
    let decision: Look
    /// The builder, kept for as long as the plan; nil for the key's own.
    let provider: Provider?
    /// Whether the value is kept.
    let isKept: Bool
    /// Whether it stays once it is begun.
    let isOnce: Bool
    /// The outermost level where it may be kept.
    let outermost: Int32
    /// The level where it will be kept if the builder reads what it read last time.
    let hinted: Int32
    /// Whether nothing is known of what the builder reads.
    let isFirst: Bool
    /// The stamp of the asking scope.
    let stamp: UInt64
    /// The policy of defaults, if one that is not safe in tests is concerned.
    let policy: PolicyInForce?
    let isObserved: Bool

    /// The caller holds a line.
    init(
        _ key: ValueKey,
        past: UInt64,
        _ decision: Look,
        from node: NodePointer,
        _ seen: (stamp: UInt64, isObserved: Bool)
    ) {
        (self.key, self.past, self.decision) = (key, past, decision)
        provider = decision.provider?.object
        (isKept, isOnce) = (!key.isTransient, key.role != nil)
        let outermost = isKept && !isOnce ? decision.level : 0
        self.outermost = outermost
        (stamp, isObserved) = seen
        let hasPolicy = decision.passed & Mask.policy != 0
        policy =
            if !decision.isDefault || key.isSafeInTests {
                nil
            } else {
                hasPolicy ? PolicyInForce(in: node) : .unset
            }
        let hint = if let provider { provider.hint.current } else { key.hint }
        hinted = hint?.with { $0.level(from: node, limit: outermost) } ?? outermost
        isFirst = hint == nil
    }

    /// Whether the value is the constant of its declaration, which needs no build.
    @inline(__always)
    var isConstant: Bool {
        key.ownDefault == .constant && decision.isDefault && !isInTests && !defaultIs(.forbidden)
    }

    /// Whether the builder for tests replaces the value's own.
    @inline(__always)
    var isInTests: Bool { policy.map { $0.policy != .allowed } == true && key.hasTestValue }

    /// Whether a default is given that the policy does not allow without more; what has none is safe, or has another in tests.
    @inline(__always)
    func defaultIs(_ wanted: DefaultsPolicy) -> Bool {
        policy?.policy == wanted && !key.hasTestValue
    }
}
