import ScopedInjection

/// The rules, written down as simply as possible: each read is evaluated afresh, and nothing is remembered.
struct Model {
    /// What a scope says of a value.
    indirect enum Entry {
        case set(Int)
        case provided(Recipe)
        case decorated(Recipe, over: Entry?)
        case alias(Int)

        /// R14: what the scope says once it is given a builder or an alias; its decorations stay over that.
        func replaced(by base: Entry) -> Entry {
            guard case .decorated(let own, let over) = self else { return base }
            return .decorated(own, over: over?.replaced(by: base) ?? base)
        }
    }

    struct Scope {
        var parent: Int?
        var entries: [Int: Entry] = [:]
        var policy: DefaultsPolicy?
        var isGone = false
        var isClosed = false
    }

    /// What a value was built from, as far as it says where the value is kept.
    struct Trace {
        /// How far out the nearest scope lies that decided on something, counted from the asking one.
        var nearest = Int.max
        /// Whether a scoped value is a part of it.
        var isPinned = false

        mutating func add(_ level: Int) { nearest = min(nearest, level) }
    }

    struct Missing: Error {}

    /// The parent of a scope that was made under the global one, and follows that.
    static let underGlobal = -1

    let recipes: [Recipe]
    var scopes: [Scope] = []
    /// The scope that is global, in programs that use it.
    var global: Int?

    /// The scope and its ancestors; a parent that is gone cuts the chain.
    func chain(_ scope: Int) -> (scopes: [Int], isCut: Bool) {
        var (chain, at) = ([scope], scope)
        while var parent = scopes[at].parent {
            if parent == Self.underGlobal, let global { parent = global }
            if scopes[parent].isGone { return (chain, true) }
            chain.append(parent)
            at = parent
        }
        return (chain, false)
    }

    /// What a read gives, and the instance that it is; nil for a value that is set, constant or transient.
    typealias Given = (number: Int, home: ValueInScope?)

    func read(_ value: Int, in asking: Int) throws -> Given {
        var trace = Trace()
        return try read(value, asking, &trace)
    }

    /// R1: the nearest scope that says something of the value decides, else its own default.
    ///
    /// - Parameter past: The level up to which nothing is looked at, for a decoration.
    private func read(_ value: Int, _ asking: Int, past: Int = -1, _ trace: inout Trace) throws -> Given {
        let (chain, isCut) = chain(asking)
        for (level, scope) in chain.enumerated() where level > past {
            if let entry = scopes[scope].entries[value] {
                return try read(entry, value, asking, level, past, &trace)
            }
        }
        if isCut { throw Missing() }
        // R13
        let policy = Numbered.safe.contains(value) ? (.allowed, nil) : policy(of: chain)
        if policy.policy == .forbidden {
            if let level = policy.level { trace.add(level) }
            throw Missing()
        }
        switch value {
        case Numbered.required: throw Missing()
        case Numbered.constant: return (Numbered.constantProduct.number, nil)
        default:
            return try build(value, asking, chain.count - 1, isDefault: true, past, &trace) {
                recipes[value]
            } from: { inner in
                if let level = policy.level { inner.add(level) }
                return 0
            }
        }
    }

    private func read(
        _ entry: Entry,
        _ value: Int,
        _ asking: Int,
        _ level: Int,
        _ past: Int,
        _ trace: inout Trace
    ) throws -> Given {
        switch entry {
        case .set(let number):
            trace.add(level)
            return (number, nil)
        case .alias(let other):
            // R12: a builder that reads, and is never kept.
            trace.add(level)
            return try read(other, asking, &trace)
        case .provided(let recipe):
            return try build(value, asking, level, isDefault: false, past, &trace) { recipe }
        case .decorated(let recipe, let over):
            // R14
            return try build(value, asking, level, isDefault: false, past, &trace) {
                recipe
            } from: { inner in
                guard let over else { return try read(value, asking, past: level, &inner).number }
                return try carryOut(over, value, asking, level, &inner)
            }
        }
    }

    /// What a decorated entry gives to the decoration over it.
    private func carryOut(
        _ entry: Entry,
        _ value: Int,
        _ asking: Int,
        _ level: Int,
        _ trace: inout Trace
    ) throws -> Int {
        var start = 0
        let recipe: Recipe
        switch entry {
        case .set(let number): return number
        case .alias(let other): return try read(other, asking, &trace).number
        case .provided(let own): recipe = own
        case .decorated(let own, nil):
            start = try read(value, asking, past: level, &trace).number
            recipe = own
        case .decorated(let own, let over?):
            start = try carryOut(over, value, asking, level, &trace)
            recipe = own
        }
        return try recipe.run(from: start, current: { asking }) { try read($0, asking, &trace).number }
    }

    /// R3: a built value is kept in the deepest scope that decides one of its inputs, in the root if none does, and never
    /// further out than the scope that decides on itself.
    private func build(
        _ value: Int,
        _ asking: Int,
        _ level: Int,
        isDefault: Bool,
        _ past: Int,
        _ trace: inout Trace,
        _ recipe: () -> Recipe,
        from start: (inout Trace) throws -> Int = { _ in 0 }
    ) throws -> Given {
        var inner = Trace(isPinned: value == Numbered.scoped)
        defer {
            trace.add(inner.isPinned ? 0 : inner.nearest)
            trace.isPinned = trace.isPinned || inner.isPinned
            if !isDefault { trace.add(level) }
        }
        let begin = try start(&inner)
        let number = try recipe().run(from: begin, current: { asking }) { try read($0, asking, &inner).number }
        let keeper = inner.isPinned ? 0 : min(inner.nearest, level)
        if value == Numbered.transient || keeper <= past { return (number, nil) }
        // R11: a closed scope keeps what needs no cleanup, and no recipe has one.
        return (number, ValueInScope(scope: chain(asking).scopes[keeper], value: value))
    }

    /// The policy in force, and the outermost scope up to which it holds without a break; no level where none says otherwise.
    private func policy(of chain: [Int]) -> (policy: DefaultsPolicy, level: Int?) {
        let said = chain.enumerated().compactMap { level, scope in scopes[scope].policy.map { ($0, level) } }
        guard let nearest = said.first?.0 else { return (.allowed, nil) }
        let same = said.prefix { $0.0 == nearest }
        if nearest == .allowed, same.count == said.count { return (.allowed, nil) }
        return (nearest, same.last?.1)
    }
}
