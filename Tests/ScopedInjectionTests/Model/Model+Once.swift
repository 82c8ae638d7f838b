import ScopedInjection

/// R17: what has begun stays, so the model has to remember it.
extension Model {
    /// A value that has begun in a scope.
    struct Begun {
        let number: Int
        /// Tells it from what began there before.
        let id: Int
        /// Whether it is the value's own default, which a scope further in may forbid.
        let isDefault: Bool
    }

    /// What the run of a value that stays has read that stays, too, or has failed to begin, where the run found that.
    typealias Use = ValueInScope

    /// A model in which reads begin nothing for this one.
    func copy() -> Model {
        var model = self
        model.begun = Box(begun.value)
        return model
    }

    // MARK: Reading

    /// It is begun in the nearest scope of its role, as that sees it.
    func read(_ value: Int, onceIn role: Role, _ chain: Chain, _ past: Int, _ trace: inout Trace) -> Given? {
        func hasRole(_ scope: Int) -> Bool { scopes[scope].role == role }
        var keeper: Int?
        for (level, scope) in chain.scopes.enumerated() {
            let (entry, place) = (scopes[scope].entries[value], ValueInScope(scope: scope, value: value))
            switch entry {
            case _ where level <= past: break
            case .set(let number):
                trace.add(level)
                if let nearest = chain.scopes.firstIndex(where: hasRole) { trace.add(nearest) }
                return (number, nil)
            case _ where keeper == nil && stays(place):
                if begun.value[place]?.isDefault == true {
                    // It goes on where a global scope with another policy comes further out.
                    if forbids((Array(chain.scopes[...level]), chain.isCut), &trace) { return nil }
                    if let level = policy(of: chain.scopes).level { trace.add(level) }
                }
                return given(place, level, &trace)
            case .provided, .decorated:
                guard let keeper = keeper ?? (chain.scopes[level...].contains(where: hasRole) ? level : nil) else {
                    trace.add(level)
                    return nil
                }
                return begin(value, in: keeper, isDefault: false, chain, past, &trace) { chain, passed, inner in
                    number(of: entry, value, chain, level - passed, &inner)
                }
            case nil: break
            }
            if keeper == nil, hasRole(scope) { keeper = level }
        }
        if !chain.isCut, forbids(chain, &trace) { return nil }
        guard let keeper else { return nil }
        if chain.isCut {
            trace.add(keeper)
            return nil
        }
        let begun = begin(value, in: keeper, isDefault: true, chain, past, &trace) { chain, _, inner in
            policy(of: chain.scopes).policy == .forbidden ? nil : run(recipes[value], chain, &inner)
        }
        // What has failed is missing under each policy.
        if begun != nil, let level = policy(of: chain.scopes).level { trace.add(level) }
        return begun
    }

    /// R16: a default that stays is forbidden where it is asked for; whether it has begun is no input.
    private func forbids(_ chain: Chain, _ trace: inout Trace) -> Bool {
        if policy(of: chain.scopes).policy != .forbidden { return false }
        trace.isUnkept = true
        return true
    }

    private func given(_ place: ValueInScope, _ level: Int, _ trace: inout Trace) -> Given? {
        trace.add(level)
        guard let begun = begun.value[place] else { return nil }
        trace.uses.insert(place)
        return (begun.number, place)
    }

    /// - Parameter make: Is given the chain of the scope that asks, and how much further out that lies.
    private func begin(
        _ value: Int,
        in keeper: Int,
        isDefault: Bool,
        _ chain: Chain,
        _ past: Int,
        _ trace: inout Trace,
        _ make: (Chain, Int, inout Trace) -> Int?
    ) -> Given? {
        // What a decoration further out is built from is a part of its result.
        if keeper <= past { return make(chain, 0, &trace).map { ($0, nil) } }
        var inner = Trace()
        let place = ValueInScope(scope: chain.scopes[keeper], value: value)
        guard let number = make((Array(chain.scopes[keeper...]), chain.isCut), keeper, &inner) else {
            // What survives that is built from what the run has read, as far as it would be found from here.
            trace.add(keeper)
            if inner.isUnkept || !inner.uses.allSatisfy({ isFound($0, chain) }) { trace.isUnkept = true }
            trace.uses.formUnion(inner.uses.union([place]))
            return nil
        }
        // In a closed scope nothing begins: it follows, like any other.
        if scopes[place.scope].isClosed {
            trace.add(keeper)
            trace.uses.formUnion(inner.uses)
            if inner.isUnkept {
                trace.isUnkept = true
                return (number, nil)
            }
            trace.uses.insert(place)
            return (number, place)
        }
        begun.update { $0[place] = Begun(number: number, id: Numeral.now(), isDefault: isDefault) }
        return given(place, keeper, &trace)
    }

    // MARK: Staying

    func stays(_ place: ValueInScope) -> Bool { begun.value[place] != nil }

    /// Whether what stays is looked for in the same scope from here.
    private func isFound(_ use: Use, _ chain: Chain) -> Bool {
        for scope in chain.scopes {
            if scope == use.scope { return true }
            let isThere = scopes[scope].entries[use.value] != nil || stays(ValueInScope(scope: scope, value: use.value))
            if isThere || scopes[scope].role == Numbered.once[use.value] { return false }
        }
        return false
    }
}
