import Synchronization

/// Whether a scope is in force, and what it holds as long as it is.
///
/// Three kinds of holders keep a scope in force. The anchor that it lends, while code has entered it: `Node.lent`. The
/// anchors that closures, tasks and references own: `Node.anchors`. The chains of scopes further in that are in force, by
/// its handles: `Handle.holders`.
extension EnvironmentScope {
    /// The number of holders that keep the scope in force; the caller holds no line.
    package var holderCount: Int {
        guard let node else { return 0 }
        let lines = node.pointee.lines
        lines.lock(.every)
        defer { lines.unlock(.every) }
        // First: a lent anchor that becomes an owner is counted before it is no longer lent.
        var count = Lending.isLent(by: node) ? 1 : 0
        count += Int(node.pointee.anchors.load(ordering: .sequentiallyConsistent))
        guard let handles = node.pointee.handles.load(ordering: .acquiring) else { return count }
        for line in 0..<Lines.count {
            count += handles[line].load(ordering: .acquiring)?._withUnsafeGuaranteedRef { $0.holders } ?? 0
        }
        return count
    }

    /// Whether the scope is in force: entered, or kept as a part of a chain; the caller holds no line.
    var isInForce: Bool { holderCount > 0 }

    /// Releases a held parent, if the scope is no longer in force.
    @inline(__always)
    func releaseHeldParent() {
        if node?.pointee.holdsParent.load(ordering: .sequentiallyConsistent) == true {
            releaseHeldParentIfIdle()  // fault: held-parent-released
        }
    }

    @inline(never)
    private func releaseHeldParentIfIdle() {
        guard let node, let rare else { return }
        // One step with the test: otherwise another parent could be held meanwhile for new holders.
        let released = rare.state.withLock { state -> Unmanaged<Anchor>? in
            if isInForce { return nil }  // fault: held-parent-in-force
            node.pointee.holdsParent.store(false, ordering: .sequentiallyConsistent)
            return state.exchangeHeldParent(nil)
        }
        if let released { ThreadState.letGo(of: released) }
    }
}
