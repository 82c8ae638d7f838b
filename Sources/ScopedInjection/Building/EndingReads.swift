/// Reads in a scope whose ends have begun: what has one is given to cleanups only.
extension Resolution {
    /// Resolves what a look has met that is given to cleanups only; whether it has, and unlocked the lines.
    ///
    /// Else the read goes on: what only was built from it is built anew.
    @inline(never)
    static func resolveEnding(
        _ plan: Plan,
        holding lines: Lines.Bits,
        _ isBegun: Bool,
        into memory: UnsafeMutableRawPointer
    ) throws(ScopeError) -> Bool {
        let read = plan.read
        let (node, thread) = (read.node, read.thread)
        thread.pointee.hasMetEnding = false
        if thread.pointee.activity.isCleaning { return false }
        if EnvironmentScope.isCleaning {
            node.finishReading(lines)
            // The code of an awaited cleanup.
            thread.pointee.activity.isCleaning = true
            defer { thread.pointee.activity.isCleaning = false }
            try resolve(read, into: memory, isBegun: isBegun)
            return true
        }
        guard let level = levelOfEnding(read) else { return false }
        let place = plan.look.provider?.with { $0.onlyPlace }
        node.finishReading(lines)
        read.user?.with {
            $0.pin()
            $0.record(read.key, plan.look.version, past: read.past, level: plan.look.nearest)
        }
        throw closed(read, level, place)
    }

    /// The level of the scope that keeps the value; the caller holds a line.
    private static func levelOfEnding(_ read: Read) -> Int32? {
        ThreadState.asCleanup {
            let found = Look.find(read.key.address, past: read.past, from: read.node)
            return found.cell == nil ? nil : found.level
        }
    }
}
