/// Where a value is kept that an update has built, before the update is made; the caller holds a line.
extension Placing {
    /// Whether the scope of an update keeps a value, and not the changed scope at a level, which would not be given it now.
    @inline(__always)
    static func isStaged(_ build: Build, _ decision: UInt64, _ level: Int32) -> Bool {
        guard level > 0, let staging = build.asking.outwards(level &- 1), staging.isStaging else { return false }
        return isStaged(build, decision, in: staging)
    }

    @inline(never)
    private static func isStaged(_ build: Build, _ decision: UInt64, in staging: NodePointer) -> Bool {
        let key = build.key.address
        guard let changed = staging.next, !staging.renews(key) else { return true }
        return Look.decide(key, from: changed).version != decision || Look.check(build.inputs.all, from: changed) == nil
    }
}
