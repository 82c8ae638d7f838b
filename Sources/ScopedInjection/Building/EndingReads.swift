/// Reads in a scope whose ends have begun: what has one is given to cleanups only.
extension Resolution {
    /// Resolves what a look has met that is given to cleanups only; whether it has, and unlocked the lines.
    ///
    /// Else the read goes on: what only was built from it is built anew.
    @inline(never)
    static func resolveEnding(
        _ read: Read,
        _ decision: Look,
        holding lines: Lines.Bits,
        _ isBegun: Bool,
        into memory: UnsafeMutableRawPointer
    ) throws(ScopeError) -> Bool {
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
        let plan = Plan(read.asked, past: read.past, decision, from: node, node.stampAndObservers)
        node.finishReading(lines)
        read.user?.with {
            $0.pin()
            $0.record(read.asked, decision.version, past: read.past, level: decision.nearest)
        }
        throw closed(plan, node, level)
    }

    /// The level of the scope that keeps the value; the caller holds a line.
    private static func levelOfEnding(_ read: Read) -> Int32? {
        ThreadState.asCleanup {
            let found = Look.find(read.asked.address, past: read.past, from: read.node)
            return found.cell == nil ? nil : found.level
        }
    }
}
