extension Resolution {
    /// Why a read would fail, as far as that is known without building.
    static func problem(of asked: ValueKey, from node: NodePointer) -> ScopeError? {
        let line = node.startReading()
        let look = Look.find(asked.address, from: node)
        let plan = Plan(asked, past: 0, look, from: node, node.stampAndObservers)
        let read = Read(asked: asked, past: 0, node: node, user: nil, thread: ThreadState.current)
        let reason = look.cell != nil || plan.isConstant ? nil : refusal(plan, node, read.thread)
        node.finishReading(line)
        return reason.map { refuse($0, plan, read) }
    }
}
