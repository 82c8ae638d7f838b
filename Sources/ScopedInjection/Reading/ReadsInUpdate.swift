/// What the changes of an update mean for reads, before the update is made; the caller holds a line.
extension Look {
    /// Whether what was kept further out is another one for a scope that decides on an input nearer.
    ///
    /// What an update removes is decided further out.
    static func isReplacedInUpdate(_ input: Input, from start: NodePointer, _ level: Int32) -> Bool {
        let decision = decide(input.key, from: start)
        return decision.version != input.version || decision.level < level
            || start.outwards(level - 1)?.renews(input.key) == true
    }
}

extension UnsafeMutablePointer where Pointee == Node {
    /// Whether the scope is that of an update, or lies below one.
    var isInUpdate: Bool { chain.contains { $0.isStaging } }

    /// Whether an update builds anew what the changed scope keeps.
    @inline(__always)
    func renews(_ key: UnsafeRawPointer) -> Bool { isStaging && hasRenewal(key) }

    @inline(never)
    private func hasRenewal(_ key: UnsafeRawPointer) -> Bool { slot(key)?.pointee.provider == Provider.renewal }
}
