import Synchronization

/// How a missing value is to be built, as found at one moment.
struct Plan: ~Copyable {
    let key: ValueKey
    /// The version of the decision that the read skips; 0 for none.
    let past: UInt64
    let decision: Decision
    /// The builder, kept for as long as the plan; nil for the key's own.
    let provider: Provider?
    /// The stamp of the asking scope.
    let stamp: UInt64
    /// The decision on the policy of defaults, if one that is not safe in tests is concerned.
    let policy: Decision?
    /// The hint by which the keeper was guessed; only compared.
    let guess: UnsafeRawPointer?
    /// The level of the probable keeper, by the hint.
    let place: Int32
    /// The handle of the probable keeper, if that is not the asking scope; owned.
    let placeHandle: Unmanaged<Handle>?
    /// How many values that and the scopes further in had kept.
    let keptValues: UInt32
    /// The level of the scope that would have to keep the value, if that and all further in are closed.
    let closedLevel: Int32?
    let isObserved: Bool

    /// The caller holds a line.
    init(_ key: ValueKey, past: UInt64, _ decision: Decision, from node: NodePointer) {
        (self.key, self.past, self.decision) = (key, past, decision)
        let provider = decision.provider?.takeUnretainedValue()
        self.provider = provider
        stamp = node.stamp
        let hasPolicy = decision.passed & Mask.policy != 0
        policy =
            if !decision.isDefault || key.isSafeInTests {
                nil
            } else {
                hasPolicy ? DefaultsPolicy.decision(from: node) : Decision(version: Input.byDefault, level: .max)
            }
        let outermost = key.lifetime == .shared ? decision.level : 0
        let hint = Self.hint(key, provider)
        guess = hint.map { UnsafeRawPointer($0.toOpaque()) }
        let wanted = hint?._withUnsafeGuaranteedRef { $0.level(from: node, limit: outermost) } ?? outermost
        let keeper = wanted > 0 ? node.outwards(wanted) : nil
        let handle = keeper?.anyHandle?.retain()
        placeHandle = handle
        place = handle == nil ? 0 : wanted
        keptValues = node.keptValues(upTo: place)
        closedLevel = Self.closedLevel(outermost, from: node)
        isObserved = node.isObservedNow
    }

    deinit { placeHandle?.release() }

    private static func closedLevel(_ outermost: Int32, from node: NodePointer) -> Int32? {
        guard node.pointee.flags.contains(.closed) else { return nil }
        let isClosed = node.chain.prefix(Int(outermost) + 1).allSatisfy { $0.pointee.flags.contains(.closed) }
        return isClosed ? outermost : nil
    }

    /// Whether the value is to be kept for itself, and not only as a part of another one.
    var isToBeKept: Bool { key.lifetime != .transient && place > decision.pastLevel }

    /// Whether the value is the constant of its declaration, which needs no build.
    var isConstant: Bool {
        decision.isDefault && key.ownDefault == .constant && !isInTests && !defaultIs(.forbidden)
    }

    /// Whether the builder for tests replaces the value's own.
    var isInTests: Bool { policy.map { $0.policy != .allowed } == true && key.hasTestValue }

    /// Whether a default is given that the policy does not allow without more; what has none is safe, or has another in tests.
    func defaultIs(_ wanted: DefaultsPolicy) -> Bool {
        policy?.policy == wanted && !key.hasTestValue
    }

    /// Whether a build has shown that the keeper was guessed wrong; the caller holds a line.
    var isGuessOutdated: Bool {
        Self.hint(key, provider).map { UnsafeRawPointer($0.toOpaque()) } != guess
    }

    /// What the last run of the builder read; the caller holds a line.
    private static func hint(_ key: ValueKey, _ provider: Provider?) -> Unmanaged<Hint>? {
        if let provider { provider.hint.current } else { key.hint }
    }

    func setHint(_ hint: Hint) { if let provider { provider.hint.set(hint) } else { key.setHint(hint) } }
}
