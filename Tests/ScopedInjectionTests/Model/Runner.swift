import ScopedInjection

/// Runs a program on scopes and on the model side by side.
struct Runner {
    private var model: Model
    private var scopes: [EnvironmentScope?] = []
    private let program: Program

    /// The first difference, as text; nil if there is none.
    static func difference(in program: Program) -> String? {
        Numbered.$recipes.withValue(program.recipes) {
            var runner = Runner(program)
            for step in program.steps {
                if let difference = runner.run(step) { return difference }
            }
            return nil
        }
    }

    /// What the last read of a program gives, with or without the reads before it.
    static func lastRead(of program: Program, isRead: Bool) -> Int? {
        Numbered.$recipes.withValue(program.recipes) {
            var runner = Runner(program)
            var last: (Int, Int)?
            for step in program.steps {
                if case .read(let scope, let value) = step {
                    last = (scope, value)
                    if !isRead { continue }
                }
                _ = runner.run(step)
            }
            guard let (at, value) = last, let scope = runner.scope(at) else { return nil }
            return (try? scope.value(for: Numbered.all[value]))?.number
        }
    }

    private init(_ program: Program) {
        self.program = program
        model = Model(recipes: program.recipes)
    }

    /// Whether the program moves scopes, and says policies.
    private var hasMovedPolicies: Bool {
        model.scopes.contains { $0.policy != nil }
            && program.steps.contains { if case .move = $0 { true } else { false } }
    }

    private func scope(_ number: Int) -> EnvironmentScope? { scopes.indices.contains(number) ? scopes[number] : nil }

    private mutating func run(_ step: Program.Step) -> String? {
        switch step {
        case .make(let parent, let policy):
            let above = parent.flatMap { scope($0) }
            scopes.append(.empty("\(scopes.count)", parent: above, defaults: policy))
            model.scopes.append(Model.Scope(parent: above == nil ? nil : parent, policy: policy))
        case .set(let at, let value, let number):
            guard let scope = scope(at) else { return nil }
            scope[Numbered.all[value]] = Numeral(number)
            model.scopes[at].entries[model.target(of: value, in: at)] = .set(number)
        case .remove(let at, let value):
            guard let scope = scope(at) else { return nil }
            scope.removeValue(for: Numbered.all[value])
            model.scopes[at].entries[model.target(of: value, in: at)] = nil
        case .removeAll(let at):
            scope(at)?.removeAll()
            if scope(at) != nil { model.scopes[at].entries = [:] }
        case .provide(let at, let value, let recipe):
            guard let scope = scope(at) else { return nil }
            let target = model.target(of: value, in: at)
            let recipe = recipe.below(target)
            scope.provide(Numbered.all[value]) { try Numbered.build(recipe, $0) }
            model.scopes[at].entries[target] = .provided(recipe)
        case .decorate(let at, let value, let recipe):
            guard let scope = scope(at) else { return nil }
            let target = model.target(of: value, in: at)
            let recipe = recipe.below(target)
            scope.decorate(Numbered.all[value]) { try Numbered.build(recipe, $1, from: $0.number) }
            model.scopes[at].entries[target] = .decorated(recipe, over: model.scopes[at].entries[target])
        case .alias(let at, let value, let other):
            guard let scope = scope(at) else { return nil }
            scope.alias(Numbered.all[value], to: Numbered.all[other])
            model.scopes[at].entries[value] = .alias(other)
        case .move(let at, let parent):
            guard let scope = scope(at),
                parent.map({ self.scope($0) != nil && !model.chain($0).scopes.contains(at) }) ?? true
            else { return nil }
            scope.parent = parent.flatMap { self.scope($0) }
            model.scopes[at].parent = parent
        case .drop(let at):
            guard scope(at) != nil else { return nil }
            scopes[at] = nil
            model.scopes[at].isGone = true
        case .look(let at, let value):
            guard let scope = scope(at) else { return nil }
            _ = (scope.explain(Numbered.all[value]).description, scope.graph.mermaid, scope.debugDescription)
        case .read(let at, let value): return read(value, at)
        }
        return nil
    }

    /// Compares a read, and which scopes share what it gives.
    private func read(_ value: Int, _ at: Int) -> String? {
        guard let scope = scope(at) else { return nil }
        let found = try? scope.value(for: Numbered.all[value])
        let expected = try? model.read(value, in: at)
        guard found?.number == expected?.number else {
            return "\(at).\(value) is \(found.map { "\($0.number)" } ?? "an error"), should be "
                + (expected.map { "\($0.number)" } ?? "an error")
        }
        // A value stays where it was kept if the policies around its scope become the same by a move.
        guard let found, let keeper = expected?.keeper, !hasMovedPolicies else { return nil }
        let target = model.target(of: value, in: at)
        if model.target(of: target, in: keeper) == target,
            scopes[keeper]?.localValue(for: Numbered.all[target]) !== found
        {
            return "\(at).\(value) is not kept in \(keeper)"
        }
        for (other, scope) in scopes.enumerated() {
            guard let scope, let seen = try? model.read(value, in: other), let otherKeeper = seen.keeper else {
                continue
            }
            let isShared = (try? scope.value(for: Numbered.all[value])) === found
            let (mine, its) = (model.target(of: value, in: at), model.target(of: value, in: other))
            if mine == its, isShared != (otherKeeper == keeper) {
                return
                    "\(at).\(value) and \(other).\(value) are \(isShared ? "one" : "two") instances; keepers \(keeper), \(otherKeeper)"
            }
        }
        return nil
    }
}

extension Recipe {
    /// The recipe without what is not before a value: a builder may be given to another value by way of an alias.
    func below(_ value: Int) -> Recipe {
        Recipe(
            seed: seed,
            steps: steps.filter { step in
                switch step {
                case .read(let one), .tryRead(let one), .fail(let one): one < value
                case .branch(let one, let two): one < value && two < value
                case .current: value == Numbered.scoped
                }
            }
        )
    }
}
