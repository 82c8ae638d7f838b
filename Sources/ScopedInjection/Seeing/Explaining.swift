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
        var explanation: Explanation
        var value: Any?
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
        func finished(_ question: Question) -> Explanation {
            if let known = done[question] { return known }
            var explanation = facts[question]?.explanation ?? Explanation(key)
            explanation.shownValue = facts[question]?.value.flatMap { shownText(of: $0) }
            // Before its inputs, because aliases may go round in a circle.
            done[question] = explanation
            explanation.inputs = facts[question]?.inputs.map(finished) ?? []
            done[question] = explanation
            return explanation
        }
        var explanation = finished(asked)
        explanation.problem = explanation.isThere ? nil : Resolution.problem(of: key, from: node)
        if explanation.problem?.code == .missingValue { explanation.source = .unknown }
        return explanation
    }

    private static func facts(of question: Question, from node: NodePointer) -> Facts {
        let decision = Look.decide(question.key, past: question.past, from: node)
        var explanation = Explanation(.at(question.key))
        if decision.isNowhere { return Facts(explanation: explanation) }
        var target: ValueKey?
        explanation.source = decision.cell == nil ? .default : .set
        decision.provider?.with { provider in
            explanation.source = provider.decorations.isEmpty ? .provided : .decorated
            switch provider.origin {
            case .given(let place), .alias(_, let place): explanation.location = ScopeError.Location(place)
            case .set: explanation.isSetBelow = true
            case .beyond: break
            }
            target = provider.target
            explanation.decorations = provider.decorations.map { ScopeError.Location($0) }
        }
        if decision.isDefault {
            explanation.location = ValueKey.at(question.key).location
        } else {
            explanation.scope = node.outwards(decision.level)?.withScope { $0.label }
        }
        if let target {
            explanation.source = .alias
            return Facts(explanation: explanation, inputs: [Question(key: target.address)])
        }
        guard case .cell(let cell, _, let level) = Look.find(question.key, past: question.past, from: node) else {
            return Facts(explanation: explanation)
        }
        var facts = Facts(explanation: explanation, value: cell.anyValue)
        if let kept = cell.kept, let keeper = node.outwards(level) {
            facts.explanation.keptIn = keeper.withScope { $0.label }
            facts.inputs = kept.directInputs(in: keeper).map { Question(key: $0.key, past: $0.past) }
        }
        return facts
    }
}

extension Resolution {
    /// Why a read would fail, as far as that is known without building.
    static func problem(of asked: ValueKey, from node: NodePointer) -> ScopeError? {
        let line = node.startReading()
        guard case .unbuilt(let decision) = Look.find(asked.address, from: node) else {
            node.finishReading(line)
            return nil
        }
        let plan = Plan(asked, past: 0, decision, from: node)
        let read = Read(asked: asked, past: 0, node: node, user: nil, thread: ThreadState.current)
        let reason = plan.isConstant ? nil : refusal(plan, node, isPart: false, read.thread)
        node.finishReading(line)
        return reason.map { refuse($0, plan, read) }
    }
}
