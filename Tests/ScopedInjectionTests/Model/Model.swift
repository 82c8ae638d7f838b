import ScopedInjection

/// The rules, written down as simply as possible: each read is evaluated afresh, and nothing is remembered but what stays.
struct Model {
    /// What a scope says of a value.
    indirect enum Entry {
        case set(Int)
        case provided(Recipe)
        case decorated(Recipe, over: Entry?)

        /// R14: what the scope says once it is given a builder; its decorations stay over that.
        func replaced(by base: Entry) -> Entry {
            guard case .decorated(let own, let over) = self else { return base }
            return .decorated(own, over: over?.replaced(by: base) ?? base)
        }
    }

    struct Scope {
        var parent: Int?
        var entries: [Int: Entry] = [:]
        var policy: DefaultsPolicy?
        var role: Role?
        var isGone = false
        var isClosed = false
    }

    /// What a value was built from, as far as it says where the value is kept.
    struct Trace {
        /// How far out the nearest scope lies that decided on something, counted from the asking one.
        var nearest = Int.max
        /// What it was built from that stays, or that has failed to begin.
        var uses: Set<Use> = []
        /// Whether nothing tells when a value would not fail to begin any more.
        var isUnkept = false

        mutating func add(_ level: Int) { nearest = min(nearest, level) }
    }

    /// The parent of a scope that was made under the global one, and follows that.
    static let underGlobal = -1

    let recipes: [Recipe]
    /// R17: what has begun and stays, in the scopes that keep it; reads fill it.
    var begun: Box<[ValueInScope: Begun]> = Box([:])
    var scopes: [Scope] = []
    /// The scope that is global, in programs that use it.
    var global: Int?

    /// The scope and its ancestors; a parent that is gone cuts the chain.
    typealias Chain = (scopes: [Int], isCut: Bool)

    func chain(_ scope: Int) -> Chain {
        var (chain, at) = ([scope], scope)
        while var parent = scopes[at].parent {
            if parent == Self.underGlobal, let global { parent = global }
            if scopes[parent].isGone { return (chain, true) }
            chain.append(parent)
            at = parent
        }
        return (chain, false)
    }

    /// What a read gives, and where that is kept; nil for a value that is set, constant or transient.
    typealias Given = (number: Int, home: ValueInScope?)

    /// Nil where a read fails.
    func read(_ value: Int, in asking: Int) -> Given? {
        var trace = Trace()
        return read(value, chain(asking), &trace)
    }

    /// R1: the nearest scope that says something of the value decides, else its own default.
    ///
    /// - Parameter past: The level up to which nothing is looked at, for a decoration.
    func read(_ value: Int, _ chain: Chain, past: Int = -1, _ trace: inout Trace) -> Given? {
        if let role = Numbered.once[value] { return read(value, onceIn: role, chain, past, &trace) }
        for (level, scope) in chain.scopes.enumerated() where level > past {
            if let entry = scopes[scope].entries[value] {
                return read(entry, value, chain, level, past, &trace)
            }
        }
        if chain.isCut { return nil }
        // R13
        let policy = Numbered.safe.contains(value) ? (.allowed, nil) : policy(of: chain.scopes)
        if policy.policy == .forbidden {
            if let level = policy.level { trace.add(level) }
            return nil
        }
        switch value {
        case Numbered.required: return nil
        case Numbered.constant: return (Numbered.constantProduct.number, nil)
        default:
            return build(value, chain, chain.scopes.count - 1, isDefault: true, past, &trace) { inner in
                if let level = policy.level { inner.add(level) }
                return run(recipes[value], chain, &inner)
            }
        }
    }

    private func read(
        _ entry: Entry,
        _ value: Int,
        _ chain: Chain,
        _ level: Int,
        _ past: Int,
        _ trace: inout Trace
    ) -> Given? {
        switch entry {
        case .set(let number):
            trace.add(level)
            return (number, nil)
        case .provided, .decorated:
            return build(value, chain, level, isDefault: false, past, &trace) { inner in
                number(of: entry, value, chain, level, &inner)
            }
        }
    }

    /// R14: what an entry gives to the decoration over it; without one, that is what lies further out.
    func number(
        of entry: Entry?,
        _ value: Int,
        _ chain: Chain,
        _ level: Int,
        _ trace: inout Trace
    ) -> Int? {
        switch entry {
        case nil: return read(value, chain, past: level, &trace)?.number
        case .set(let number): return number
        case .provided(let recipe): return run(recipe, chain, &trace)
        case .decorated(let recipe, let over):
            guard let inherited = number(of: over, value, chain, level, &trace) else { return nil }
            return run(recipe, from: inherited, chain, &trace)
        }
    }

    func run(_ recipe: Recipe, from start: Int = 0, _ chain: Chain, _ trace: inout Trace) -> Int? {
        recipe.run(from: start, current: { chain.scopes[0] }) { read($0, chain, &trace)?.number }
    }

    /// R3: a built value is kept in the deepest scope that decides one of its inputs, in the root if none does, and never
    /// further out than the scope that decides on itself.
    private func build(
        _ value: Int,
        _ chain: Chain,
        _ level: Int,
        isDefault: Bool,
        _ past: Int,
        _ trace: inout Trace,
        _ make: (inout Trace) -> Int?
    ) -> Given? {
        var inner = Trace()
        defer {
            trace.add(inner.nearest)
            trace.uses.formUnion(inner.uses)
            trace.isUnkept = trace.isUnkept || inner.isUnkept
            if !isDefault { trace.add(level) }
        }
        guard let number = make(&inner) else { return nil }
        let keeper = min(inner.nearest, level)
        if value == Numbered.transient || inner.isUnkept || keeper <= past { return (number, nil) }
        // R11: a closed scope keeps what needs no cleanup, and no recipe has one.
        return (number, ValueInScope(scope: chain.scopes[keeper], value: value))
    }

    /// The policy in force, and the outermost scope up to which it holds without a break; no level where none says otherwise.
    func policy(of chain: [Int]) -> (policy: DefaultsPolicy, level: Int?) {
        let said = chain.enumerated().compactMap { level, scope in scopes[scope].policy.map { ($0, level) } }
        guard let nearest = said.first?.0 else { return (.allowed, nil) }
        let same = said.prefix { $0.0 == nearest }
        if nearest == .allowed, same.count == said.count { return (.allowed, nil) }
        return (nearest, same.last?.1)
    }
}
