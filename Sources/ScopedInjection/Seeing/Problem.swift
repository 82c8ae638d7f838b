extension Resolution {
    /// Why a read would fail, as far as that is known without building.
    static func problem(of asked: ValueKey, from node: NodePointer) -> ScopeError? {
        let line = node.startReading()
        let plan = Plan(Read(key: asked, node: node, user: nil, thread: ThreadState.current))
        let reason = plan.look.cell != nil || plan.isConstant ? nil : refusal(plan)
        node.finishReading(line)
        return reason.map { refuse($0, plan) }
    }
}
