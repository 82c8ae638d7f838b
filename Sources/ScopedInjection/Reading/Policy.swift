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
    let version: UInt64
    /// The level that it gives to what is built from it.
    let nearest: Int32

    /// No scope says anything.
    static var unset: PolicyInForce { PolicyInForce(version: Input.byDefault, nearest: .max) }

    private init(version: UInt64, nearest: Int32) { (self.version, self.nearest) = (version, nearest) }

    /// The caller holds a line.
    init(in start: NodePointer) {
        var (policy, outermost, isBroken) = (DefaultsPolicy.allowed, Int32(-1), false)
        for (level, node) in start.chain.enumerated() where node.pointee.decides & Mask.policy != 0 {
            guard let set = node.slot(DefaultsPolicy.key.address)?.pointee.setCell?.value(as: DefaultsPolicy.self)
            else { continue }
            isBroken = outermost >= 0 && set != policy
            if isBroken { break }
            (policy, outermost) = (set, Int32(level))
        }
        let version =
            switch policy {
            case .allowed: isBroken ? Input.allowedAgain : Input.byDefault
            case .forbidden: Input.forbidden
            case .reported: Input.reported
            }
        self.init(version: version, nearest: version == Input.byDefault ? .max : outermost)
    }

    var policy: DefaultsPolicy {
        switch version {
        case Input.forbidden: .forbidden
        case Input.reported: .reported
        default: .allowed
        }
    }
}
