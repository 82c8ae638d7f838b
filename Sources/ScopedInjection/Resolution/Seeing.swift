/// Explains values by the same search as reads; one look answers all questions of an explanation.
enum Seeing {
    // MARK: Explaining

    /// The facts about one value, copied out while a line is held.
    private struct Facts {
        let key: ValueKey
        /// Whether it is explained as the scope that was asked sees it.
        let isOfAsked: Bool
        /// The key at the end of all aliases, and the names on the way to it.
        var target: ValueKey
        var names: [String] = []
        var isCircle = false
        var isGone = false
        var scope: String?
        var location: ScopeError.Location?
        var value: Any?
        var isSet = false
        var keptIn: String?
        var inputs: [Question] = []
        /// The scope whose policy forbids the default.
        var forbiddenBy: String?
        var isMissing = false
        /// The scope that would have to keep it, and is closed, as are all further in.
        var refusedBy: String?
    }

    static func explain(_ key: ValueKey, in scope: EnvironmentScope, _ node: NodePointer) -> Explanation {
        // All values are looked at once, at one moment; texts are made afterwards, because descriptions are user
        // code.
        let asked = Question(node: node, key: key.address)
        var facts: [Question: Facts] = [:]
        let line = node.startReading()
        var look = Look()
        var pending = [asked]
        while let next = pending.popLast() {
            guard facts[next] == nil else { continue }
            let found = self.facts(of: next, &look, isOfAsked: next.node == node)
            facts[next] = found
            pending += found.inputs
        }
        node.finishReading(line)
        return assemble(asked, facts, scope)
    }

    private static func facts(of subject: Question, _ look: inout Look, isOfAsked: Bool) -> Facts {
        let (key, node) = (ValueKey.at(subject.key), subject.node)
        var trail = Trail(key, past: subject.past)
        let answer = look.follow(&trail, from: node)
        var facts = Facts(key: key.base, isOfAsked: isOfAsked, target: trail.key.base)
        if !trail.hops.isEmpty { facts.names = trail.names }
        facts.isCircle = trail.isCircle
        let decision = Look.decide(Question(node: node, key: trail.key.address, past: trail.past))
        facts.isGone = decision.isGone
        if let provider = decision.provider {
            facts.location = provider._withUnsafeGuaranteedRef { $0.location }
        }
        if decision.cell != nil || decision.provider != nil {
            facts.scope = node.outwards(decision.level)?.withScope { $0.label }
        }
        if case .cell(let cell, let level) = answer {
            facts.value = cell.valueForOverview()
            facts.isSet = cell.isSet
            if let kept = cell.kept {
                facts.keptIn = node.outwards(level)?.withScope { $0.label }
                facts.inputs = inputs(of: kept, subject)
            }
        } else {
            noteProblems(of: trail.key, decision, node, &facts)
        }
        return facts
    }

    /// Notes why a value that is not there could not be built.
    private static func noteProblems(
        of key: ValueKey,
        _ decision: Decision,
        _ node: NodePointer,
        _ facts: inout Facts
    ) {
        if decision.isDefault {
            let policy = Policy.outcome(in: node)
            let isForbidden = !key.isSafeInTests && policy.isForbidden
            if isForbidden, !key.hasTestValue { facts.forbiddenBy = Policy.name(of: policy, in: node) }
            facts.isMissing = key.base.ownDefault == .none && !isForbidden
        }
        let keepers: Int32? =
            switch key.lifetime {
            case .shared: decision.level
            case .scoped: 0
            case .transient: nil
            }
        guard let keepers else { return }
        guard node.chain.prefix(Int(keepers) + 1).allSatisfy({ $0.pointee.flags.contains(.closed) }) else { return }
        facts.refusedBy = node.outwards(keepers)?.withScope { $0.displayName }
    }

    /// What was read, once each.
    private static func inputs(of kept: UnsafeMutablePointer<Kept>, _ subject: Question) -> [Question] {
        var known: Set<Question> = []
        return kept.inputs.compactMap { input in
            guard input.fact == .value || input.fact == .decision, let input = Question(input, of: subject),
                known.insert(input).inserted
            else { return nil }
            return input
        }
    }

    /// Makes the explanations, inputs first, without recursion.
    private static func assemble(
        _ asked: Question,
        _ facts: [Question: Facts],
        _ scope: EnvironmentScope
    ) -> Explanation {
        var all: [Explanation] = []
        var done: [Question: Int] = [:]
        var underway: Set<Question> = []
        var pending = [asked]
        while let next = pending.last {
            guard let known = facts[next], done[next] == nil else {
                pending.removeLast()
                continue
            }
            let missing = known.inputs.filter { done[$0] == nil && !underway.contains($0) }
            if underway.insert(next).inserted, !missing.isEmpty {
                pending += missing
                continue
            }
            pending.removeLast()
            done[next] = all.count
            all.append(explanation(known, at: all.count, known.inputs.compactMap { done[$0] }, scope))
        }
        return done[asked].map { all[$0].among(all) } ?? Explanation(.at(asked.key))
    }

    private static func explanation(
        _ facts: Facts,
        at index: Int,
        _ inputs: [Int],
        _ scope: EnvironmentScope
    ) -> Explanation {
        var explanation = Explanation(facts.key, at: index, inputs: inputs)
        if !facts.names.isEmpty {
            explanation.aliasOf = facts.target.name
            explanation.lifetime = facts.target.lifetime
        }
        explanation.problem = problem(facts, scope)
        if facts.isCircle || facts.isGone { return explanation }
        explanation.scope = facts.scope
        explanation.location = facts.location
        explanation.source =
            facts.isSet ? .set : facts.location != nil ? .provided : facts.isMissing ? .unknown : .default
        explanation.shownValue = facts.value.flatMap { shownText(of: $0) }
        explanation.keptIn = facts.keptIn
        return explanation
    }

    /// Why a read through the scope would fail, by the name that was asked; nil for what is seen through another scope.
    private static func problem(_ facts: Facts, _ scope: EnvironmentScope) -> ScopeError? {
        guard facts.isOfAsked else { return nil }
        if facts.isCircle { return .circle(of: facts.names, facts.key, searched: scope.chainNames) }
        var error = problemOfTarget(facts, scope)
        if !facts.names.isEmpty { error?.rename(to: facts.key) }
        return error
    }

    private static func problemOfTarget(_ facts: Facts, _ scope: EnvironmentScope) -> ScopeError? {
        let (key, searched) = (facts.target, scope.chainNames)
        if facts.isGone { return scope.parentReleased(key) }
        if facts.isMissing { return ScopeError(.missingValue, key: key, searched: searched) }
        if let name = facts.forbiddenBy, scope.watchInForce?.allowsDefault(of: key) != true {
            return ScopeError(.defaultForbidden, key: key, searched: searched, detail: name)
        }
        return facts.refusedBy.map { ScopeError(.closed, key: key, searched: searched, detail: "\($0) is closed") }
    }
}

extension Question {
    /// What the input of a value was, as the scope that reads the value sees it; nil if it was read through a scope that
    /// is gone.
    init?(_ input: Input, of value: Question) {
        var input = input
        var node = value.node
        if let place = input.place {
            guard case .reached(let reached, let gone) = place._withUnsafeGuaranteedRef({ $0.rest }) else { return nil }
            node = reached
            if gone > 0 { input.forgetSkipped(goneFrom: node) }
        }
        self.init(node: node, key: input.key, past: input.past)  // fault: explained-place
    }
}
