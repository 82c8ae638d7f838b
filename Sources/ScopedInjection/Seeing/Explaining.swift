/// Explains values by the same search as reads, at one moment.
enum Explaining {
    /// One value to explain, as the asking scope sees it.
    private struct Question: Hashable {
        let key: UnsafeRawPointer
        /// The version of the decision to skip; 0 for none.
        var past: UInt64 = 0
        /// The level of the scope that asks.
        var level: Int32 = 0
    }

    static func explain(_ key: ValueKey, in scope: EnvironmentScope) -> ScopeExplanation {
        let node = scope.node
        var (all, values) = node.inspect { facts(about: key, from: node) }
        // Texts are made afterwards, because descriptions are user code.
        for (index, value) in values.enumerated() {
            all[index].shownValue = value.flatMap { shownText(of: $0) }
            all[index].making = (value as? any Awaited)?.making
        }
        let explanation = ScopeExplanation(all)
        if !explanation.isThere {
            all[0].problem = Resolution.problem(of: key, from: node)
            if all[0].problem?.code == .missingValue { all[0].source = .unknown }
        }
        return ScopeExplanation(all)
    }

    /// The facts about a value and all that it was built from, with what is there; the caller holds a line.
    private static func facts(about key: ValueKey, from node: NodePointer) -> ([ScopeExplanation.Facts], [Any?]) {
        var (all, values): ([ScopeExplanation.Facts], [Any?]) = ([], [])
        var questions = [Question(key: key.address)]
        var indices = [questions[0]: 0]
        let progress = node.chain.map(\.progress)
        while all.count < questions.count {
            let asking = node.outwards(questions[all.count].level) ?? node
            var (facts, value, inputs) = facts(of: questions[all.count], from: asking)
            facts.progress = progress.lazy.compactMap { $0[facts.key] }.first ?? Progress()
            facts.inputs = inputs.map { input in
                if let index = indices[input] { return index }
                indices[input] = questions.count
                questions.append(input)
                return questions.count - 1
            }
            all.append(facts)
            values.append(value)
        }
        return (all, values)
    }

    private static func facts(of question: Question, from node: NodePointer)
        -> (ScopeExplanation.Facts, value: Any?, inputs: [Question])
    {
        let decision = Look.decide(question.key, past: question.past, from: node)
        var facts = ScopeExplanation.Facts(key: .at(question.key))
        if decision.isNowhere { return (facts, nil, []) }
        if decision.isDefault, facts.key.ownDefault == .none, !facts.key.hasTestValue { return (facts, nil, []) }
        facts.source = decision.cell == nil ? .default : .set
        if decision.isDefault {
            facts.location = facts.key.location
        } else {
            facts.scope = node.outwards(decision.level)?.withScope { $0.name }
        }
        if let provider = decision.provider?.object {
            facts.source = provider.decorations.isEmpty ? .provided : .decorated
            facts.decorations = provider.decorations.map { ScopeError.Location($0) }
            switch provider.origin {
            case .given(let place): facts.location = ScopeError.Location(place)
            case .set: facts.isSetBelow = true
            case .beyond: break
            }
        }
        guard case .cell(let cell, _, let level) = Look.find(question.key, past: question.past, from: node) else {
            return (facts, nil, [])
        }
        guard let kept = cell.kept, let keeper = node.outwards(level) else { return (facts, cell.anyValue, []) }
        facts.keeper = .some(keeper.withScope { $0.name })
        facts.keptBecause = KeepingReason(kept, of: facts.key, in: keeper)
        if kept.pointee.isOnce, kept.pointee.decision != decision.version { facts.takeFormerSource(kept) }
        // What stays was built as its keeper asks.
        let asking = question.level + (kept.pointee.isOnce ? level : 0)
        let inputs = kept.directInputs(in: keeper).map { input in
            Question(key: input.key, past: input.past, level: asking)
        }
        return (facts, cell.anyValue, inputs)
    }
}

extension ScopeExplanation.Facts {
    /// Says by what a value was built that has stayed, while something else decides now.
    fileprivate mutating func takeFormerSource(_ kept: UnsafeMutablePointer<Kept>) {
        isFormer = true
        source = kept.pointee.decision == Input.byDefault ? .default : .provided
        (scope, location, decorations) = (nil, source == .default ? key.location : nil, [])
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
        var sight = Sight(asked, from: node)
        sight.passAll(from: node, 0)
        let plan = Plan(asked, past: 0, decision, sight, from: node)
        let read = Read(asked: asked, past: 0, node: node, user: nil, thread: ThreadState.current)
        let reason = plan.isConstant ? nil : refusal(plan, node, read.thread)
        node.finishReading(line)
        return reason.map { refuse($0, plan, read) }
    }
}
