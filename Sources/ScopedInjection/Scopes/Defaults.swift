extension EnvironmentScope {
    /// The policy in force here.
    package var defaults: DefaultsPolicy { node.inspect { PolicyInForce(in: node).policy } }

    package func setDefaults(_ policy: DefaultsPolicy) {
        let key = DefaultsPolicy.key.key
        let lines = node.startWriting()
        let slot = node.makeSlot(key.address)
        let version = node.pointee.lines.nextVersion(lines.bits.trailingZeroBitCount)
        var policy = policy
        if let cell = slot.pointee.setCell {
            _ = cell.exchange(&policy, version: version)
        } else {
            slot.pointee.cell = Cell.make(policy, key, version: version)
            node.pointee.decides |= key.bit
        }
        node.countChange()
        node.finishWriting(lines)
    }
}
