/// Explains values by the same search as reads, at one moment.
enum Explaining {
    /// One value to explain, as the asking scope sees it.
    private struct Question: Hashable {
        let key: UnsafeRawPointer
        /// The version of the decision to skip; 0 for none.
        var past: UInt64 = 0
    }

    /// The facts about one value, copied out while a line is held.
    private struct Facts {
        /// The keys on the way along aliases, from the one that was asked.
        let trail: [ValueKey]
        let decision: Decision
        var scope: String?
        var source = Explanation.Source.default
        var location: ScopeError.Location?
        var decorations: [ScopeError.Location] = []
        var value: Any?
        /// Whether the decorations lie over a value that the scope has set.
        var isSetBelow = false
        var keptIn: String?
        var inputs: [Question] = []
    }

    static func explain(_ key: ValueKey, in scope: EnvironmentScope) -> Explanation {
        let node = scope.node
        let asked = Question(key: key.address)
        // Texts are made afterwards, because descriptions are user code.
        let facts = node.whileReading {
            var facts: [Question: Facts] = [:]
            var pending = [asked]
            while let next = pending.popLast() {
                if facts[next] != nil { continue }
                let found = Self.facts(of: next, from: node)
                facts[next] = found
                pending += found.inputs
            }
            return facts
        }
        var done: [Question: Explanation] = [:]
        var explanation = explanation(of: asked, facts, &done)
        explanation.problem = explanation.isThere ? nil : Resolution.problem(of: key, from: node)
        if explanation.problem?.code == .missingValue { explanation.source = .unknown }
        return explanation
    }

    private static func facts(of question: Question, from node: NodePointer) -> Facts {
        var trail: [ValueKey] = []
        let end = Look.follow(.at(question.key), past: question.past, from: node, &trail)
        let decision = Look.decide(end.key.address, past: end.past, from: node)
        var facts = Facts(trail: trail + [end.key], decision: decision)
        decision.provider?._withUnsafeGuaranteedRef { provider in
            facts.source = provider.decorations.isEmpty ? .provided : .decorated
            if case .given(let place) = provider.origin { facts.location = ScopeError.Location(place) }
            if case .set = provider.origin { facts.isSetBelow = true }
            facts.decorations = provider.decorations.map { ScopeError.Location($0) }
        }
        if decision.cell != nil { facts.source = .set }
        if decision.isDefault { facts.location = end.key.location }
        if decision.cell != nil || decision.provider != nil {
            facts.scope = node.outwards(decision.level)?.withScope { $0.label }
        }
        if case .cell(let cell, _, let level) = end.answer {
            facts.value = cell.anyValue
            if let kept = cell.kept, let keeper = node.outwards(level) {
                facts.keptIn = keeper.withScope { $0.label }
                facts.inputs = kept.directInputs(in: keeper).map { Question(key: $0.key, past: $0.past) }
            }
        }
        return facts
    }

    private static func explanation(
        of question: Question,
        _ all: [Question: Facts],
        _ done: inout [Question: Explanation]
    ) -> Explanation {
        if let known = done[question] { return known }
        guard let facts = all[question] else { return Explanation(.at(question.key)) }
        var explanation = Explanation(facts.trail[0])
        if facts.trail.count > 1, let target = facts.trail.last {
            explanation.aliasOf = target.name
            explanation.lifetime = target.lifetime
        }
        if !facts.decision.isNowhere, facts.decision.target == nil {
            explanation.scope = facts.scope
            explanation.location = facts.location
            explanation.source = facts.source
            explanation.decorations = facts.decorations
            explanation.isSetBelow = facts.isSetBelow
            explanation.shownValue = facts.value.flatMap { shownText(of: $0) }
            explanation.keptIn = facts.keptIn
            explanation.inputs = facts.inputs.map { self.explanation(of: $0, all, &done) }
        }
        done[question] = explanation
        return explanation
    }
}

extension Resolution {
    /// Why a read would fail, as far as that is known without building.
    static func problem(of asked: ValueKey, from node: NodePointer) -> ScopeError? {
        let line = node.startReading()
        var trail: [ValueKey] = []
        let end = Look.follow(asked, from: node, &trail)
        guard case .unbuilt(let decision) = end.answer else {
            node.finishReading(line)
            return nil
        }
        let plan = Plan(end.key, past: 0, decision, from: node)
        let read = Read(asked: asked, past: 0, node: node, user: nil, thread: ThreadState.current)
        let reason = plan.isConstant ? nil : refusal(plan, node, isPart: false, read.thread)
        node.finishReading(line)
        return reason.map { refuse($0, plan, trail, read) }
    }
}
