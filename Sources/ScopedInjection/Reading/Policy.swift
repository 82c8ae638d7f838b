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

    /// The decision on the policy of a scope; the caller holds a line.
    ///
    /// The same policy is one decision, whichever scope has it: that of the outermost one up to which it holds without a
    /// break. Where no scope has another one, it is that of none.
    static func decision(from start: NodePointer) -> Decision {
        var (policy, outermost, isBroken) = (DefaultsPolicy.allowed, Int32(-1), false)
        for (level, node) in start.chain.enumerated() where node.pointee.decides & Mask.policy != 0 {
            guard let set = node.slot(key.address)?.pointee.setCell?.value(as: DefaultsPolicy.self) else { continue }
            isBroken = outermost >= 0 && set != policy
            if isBroken { break }
            (policy, outermost) = (set, Int32(level))
        }
        if policy == .allowed, !isBroken { return Decision(version: Input.byDefault, level: .max) }
        let version =
            switch policy {
            case .allowed: Input.allowedAgain
            case .forbidden: Input.forbidden
            case .reported: Input.reported
            }
        return Decision(version: version, level: outermost)
    }
}

extension Decision {
    /// What a decision on the policy says.
    var policy: DefaultsPolicy {
        switch version {
        case Input.forbidden: .forbidden
        case Input.reported: .reported
        default: .allowed
        }
    }
}
