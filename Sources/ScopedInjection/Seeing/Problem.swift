extension Resolution {
    /// Why a read would fail, as far as that is known without building.
    static func problem(of asked: ValueKey, from node: NodePointer) -> ScopeError? {
        let line = node.startReading()
        guard case .unbuilt(let decision) = Look.find(asked.address, from: node) else {
            node.finishReading(line)
            return nil
        }
        var sight = Sight(asked, from: node)
        sight.passAll(from: node, 0)
        let plan = Plan(asked, past: 0, decision, sight, from: node)
        let read = Read(asked: asked, past: 0, node: node, user: nil, thread: ThreadState.current)
        let reason = plan.isConstant ? nil : refusal(plan, node, read.thread)
        node.finishReading(line)
        return reason.map { refuse($0, plan, read) }
    }
}
