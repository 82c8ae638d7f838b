extension DefaultsPolicy {
    /// The key of the policy, which scopes set like any other value.
    static let key = TypedKey(
        TypedKeyRecord(
            Declaration("defaultsPolicy", #fileID, #line, #column),
            isSafeInTests: true,
            inTests: nil,
            constant: DefaultsPolicy.allowed,
            bit: Mask.policy
        )
    )
}

/// The decision on the policy of a scope.
///
/// The same policy is one decision, whichever scope has it: that of the outermost one up to which it holds without a
/// break. Where no scope has another one, it is that of none.
struct PolicyInForce {
    private(set) var policy = DefaultsPolicy.allowed
    private(set) var version = Input.byDefault
    /// The level that it gives to what is built from it.
    private(set) var nearest = Int32.max

    /// No scope says anything.
    init() {}

    /// The caller holds a line.
    init(in start: NodePointer) {
        var isBroken = false
        for (level, node) in start.chain.enumerated() where node.pointee.decides & Mask.policy != 0 {
            guard let set = node.slot(DefaultsPolicy.key.address)?.pointee.setCell?.value(as: DefaultsPolicy.self)
            else { continue }
            isBroken = nearest != .max && set != policy
            if isBroken { break }
            (policy, nearest) = (set, Int32(level))
        }
        switch policy {
        case .allowed: if isBroken { version = Input.allowedAgain } else { nearest = .max }
        case .forbidden: version = Input.forbidden
        case .reported: version = Input.reported
        }
    }
}
