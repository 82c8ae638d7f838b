/// What the changes of an update mean for reads, before the update is made; the caller holds a line.
extension Look {
    /// Whether what was kept further out is another one for a scope that decides on an input nearer.
    ///
    /// What an update removes is decided further out.
    static func isReplacedInUpdate(_ input: Input, from start: NodePointer, _ level: Int32) -> Bool {
        let decision = decide(input.key, from: start)
        return decision.version != input.version || decision.level < level || level <= decision.renewedLevel
    }

    /// Whether the scope of an update keeps a value, and not the changed scope at a level, which would not be given it now.
    @inline(__always)
    static func isStaged(
        _ key: ValueKey,
        _ decision: UInt64,
        _ inputs: UnsafeBufferPointer<Input>,
        from start: NodePointer,
        _ level: Int32
    ) -> Bool {
        guard level > 0, let staging = start.outwards(level &- 1), staging.isStaging, let changed = staging.next else {
            return false
        }
        return decide(key.address, from: changed).version != decision || check(inputs, from: changed) == nil
            || staging.slot(key.address)?.pointee.provider == Borrowed(.renewal)
    }
}

extension UnsafeMutablePointer where Pointee == Node {
    /// Whether the scope is that of an update, or lies below one.
    var isInUpdate: Bool { chain.contains { $0.isStaging } }
}
