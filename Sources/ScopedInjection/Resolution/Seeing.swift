/// Explains values by the same search as reads; one look answers all questions of an explanation.
enum Seeing {
    // MARK: Explaining

    /// The facts about one value, copied out while a line is held.
    private struct Facts {
        let key: ValueKey
        /// The key at the end of all aliases, and the names on the way to it.
        var target: ValueKey
        var names: [String] = []
        var isCircle = false
        var decision: Decision?
        var isGone = false
        var scope: String?
        var location: ScopeError.Location?
        var value: Any?
        var isSet = false
        var keptIn: String?
        var inputs: [ValueKey] = []
        var policy = Policy.Outcome.free
        var isClosedHere = false
    }

    static func explain(_ key: ValueKey, in scope: EnvironmentScope, _ node: NodePointer) -> Explanation {
        // All values are looked at once, at one moment; texts are made afterwards, because descriptions are user
        // code.
        var facts: [UnsafeRawPointer: Facts] = [:]
        let line = node.startReading()
        var look = Look()
        var pending = [key]
        while let next = pending.popLast() {
            guard facts[next.address] == nil else { continue }
            let found = self.facts(of: next, &look, node)
            facts[next.address] = found
            pending += found.inputs
        }
        node.finishReading(line)
        return assemble(key, facts, scope)
    }

    private static func facts(of key: ValueKey, _ look: inout Look, _ node: NodePointer) -> Facts {
        var trail = Trail(key, past: 0)
        let answer = look.follow(&trail, from: node)
        var facts = Facts(key: key, target: trail.key)
        if !trail.hops.isEmpty { facts.names = trail.names }
        facts.isCircle = trail.isCircle
        let decision = Look.decide(Question(node: node, key: trail.key.address))
        facts.decision = decision
        facts.isGone = decision.isGone
        if let provider = decision.provider {
            facts.location = provider._withUnsafeGuaranteedRef { $0.location }
        }
        if decision.cell != nil || decision.provider != nil {
            facts.scope = node.outwards(decision.level)?.withScope { $0.label }
        }
        if case .cell(let cell, let level) = answer {
            facts.value = cell.anyValue
            facts.isSet = cell.isSet
            if let kept = cell.kept {
                facts.keptIn = node.outwards(level)?.withScope { $0.label }
                facts.inputs = names(kept.inputs)
            }
        } else if decision.isDefault, !trail.key.isSafeInTests, !trail.key.hasTestValue {
            facts.policy = Policy.outcome(in: node)
        }
        facts.isClosedHere = node.pointee.flags.contains(.closed)
        return facts
    }

    /// The keys that were read, once each.
    private static func names(_ inputs: UnsafeBufferPointer<Input>) -> [ValueKey] {
        var keys: [ValueKey] = []
        for input in inputs where input.fact == .value || input.fact == .decision {
            let key = ValueKey.at(input.key).base
            if !keys.contains(where: { $0 == key }) { keys.append(key) }
        }
        return keys
    }

    /// Makes the explanations, inputs first, without recursion.
    private static func assemble(
        _ key: ValueKey,
        _ facts: [UnsafeRawPointer: Facts],
        _ scope: EnvironmentScope
    ) -> Explanation {
        var all: [Explanation] = []
        var done: [UnsafeRawPointer: Int] = [:]
        var underway: Set<UnsafeRawPointer> = []
        var pending = [key]
        while let next = pending.last {
            guard let known = facts[next.address], done[next.address] == nil else {
                pending.removeLast()
                continue
            }
            let missing = known.inputs.filter { done[$0.address] == nil && !underway.contains($0.address) }
            if underway.insert(next.address).inserted, !missing.isEmpty {
                pending += missing
                continue
            }
            pending.removeLast()
            done[next.address] = all.count
            all.append(explanation(known, known.inputs.compactMap { done[$0.address] }, scope))
        }
        return done[key.address].map { all[$0].among(all) } ?? Explanation(key)
    }

    private static func explanation(_ facts: Facts, _ inputs: [Int], _ scope: EnvironmentScope) -> Explanation {
        var explanation = Explanation(facts.key, inputs: inputs)
        let key = facts.target
        if !facts.names.isEmpty { explanation.aliasOf = key.name }
        if facts.isCircle {
            var error = ScopeError(.cycle, key: facts.key, searched: scope.chainNames, detail: "aliases")
            error.fields.path = facts.names
            explanation.problem = error
            return explanation
        }
        if facts.isGone {
            explanation.problem = scope.parentReleased(key)
            return explanation
        }
        explanation.scope = facts.scope
        explanation.location = facts.location
        explanation.source = facts.isSet ? .set : facts.location == nil ? .default : .provided
        explanation.shownValue = facts.value.flatMap { shownText(of: $0) }
        explanation.keptIn = facts.keptIn
        if facts.value == nil, facts.policy.isForbidden {
            explanation.problem = ScopeError(
                .defaultForbidden,
                key: key,
                searched: scope.chainNames,
                detail: scope.nameOfPolicy
            )
        } else if facts.value == nil, facts.isClosedHere, key.lifetime == .scoped {
            explanation.problem = ScopeError(
                .closed,
                key: key,
                searched: scope.chainNames,
                detail: "\(scope.displayName) is closed"
            )
        }
        return explanation
    }
}

extension EnvironmentScope {
    /// The name of the nearest scope with a policy.
    fileprivate var nameOfPolicy: String? {
        guard let node else { return nil }
        let line = node.startReading()
        defer { node.finishReading(line) }
        return Policy.decider(for: node)?.withScope { $0.displayName }
    }
}
