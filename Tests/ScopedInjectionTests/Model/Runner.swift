import Dispatch
import ScopedInjection

/// Runs a program on scopes and on the model side by side.
struct Runner {
    private var model: Model
    private var scopes: [EnvironmentScope?] = []
    private let program: Program

    /// The first difference, as text; nil if there is none.
    static func difference(in program: Program) async -> String? {
        await Numbered.$recipes.withValue(program.recipes) {
            var runner = Runner(program)
            for step in program.steps {
                if let difference = await runner.run(step) { return difference }
            }
            return nil
        }
    }

    /// What the last read of a program gives, with or without the reads before it.
    static func lastRead(of program: Program, isRead: Bool) async -> Int? {
        await Numbered.$recipes.withValue(program.recipes) {
            var runner = Runner(program)
            var last: (Int, Int)?
            for step in program.steps {
                if case .read(let scope, let value) = step {
                    last = (scope, value)
                    if !isRead { continue }
                }
                if case .readTogether = step, !isRead { continue }
                _ = await runner.run(step)
            }
            guard let (at, value) = last, let scope = runner.scope(at) else { return nil }
            return (try? scope.value(for: { _ in Numbered.all[value] }))?.number
        }
    }

    private init(_ program: Program) {
        self.program = program
        model = Model(recipes: program.recipes)
    }

    /// Whether the program moves scopes, or replaces the global one, and says policies.
    private var hasMovedPolicies: Bool {
        model.scopes.contains { $0.policy != nil }
            && program.steps.contains {
                switch $0 {
                case .replaceGlobal: true
                default: false
                }
            }
    }

    private func scope(_ number: Int) -> EnvironmentScope? { scopes.indices.contains(number) ? scopes[number] : nil }

    private mutating func run(_ step: Program.Step) async -> String? {
        switch step {
        case .make(let parent, let policy):
            let above = parent.flatMap { scope($0) }
            scopes.append(.empty("\(scopes.count)", parent: above, defaults: policy))
            model.scopes.append(Model.Scope(parent: above == nil ? nil : link(to: parent), policy: policy))
            if program.isGlobal, scopes.count == 1 { replaceGlobal(by: 0) }
        case .set(let at, let value, let number):
            guard let scope = scope(at) else { return nil }
            scope[Numbered.all[value]] = Numeral(number)
            model.scopes[at].entries[model.target(of: value, in: at)] = .set(number)
        case .remove(let at, let value):
            guard let scope = scope(at) else { return nil }
            scope.removeValue(for: { _ in Numbered.all[value] })
            model.scopes[at].entries[model.target(of: value, in: at)] = nil
        case .removeAll(let at):
            scope(at)?.removeAll()
            if scope(at) != nil { model.scopes[at].entries = [:] }
        case .provide(let at, let value, let recipe):
            guard let scope = scope(at) else { return nil }
            let target = model.target(of: value, in: at)
            let recipe = recipe.below(target)
            scope.provide({ _ in Numbered.all[value] }) { try Numbered.build(recipe, $0) }
            model.scopes[at].entries[target] = model.scopes[at].entries[target]?.provided(recipe) ?? .provided(recipe)
        case .decorate(let at, let value, let recipe):
            guard let scope = scope(at) else { return nil }
            let target = model.target(of: value, in: at)
            let recipe = recipe.below(target)
            scope.decorate({ _ in Numbered.all[value] }) { try Numbered.build(recipe, $1, from: $0.number) }
            model.scopes[at].entries[target] = .decorated(recipe, over: model.scopes[at].entries[target])
        case .alias(let at, let value, let other):
            guard let scope = scope(at) else { return nil }
            scope.alias({ _ in Numbered.all[value] }, to: { _ in Numbered.all[other] })
            model.scopes[at].entries[value] = .alias(other)
        case .drop(let at):
            guard scope(at) != nil, at != model.global else { return nil }
            scopes[at] = nil
            model.scopes[at].isGone = true
        case .close(let at):
            // With all further in, where what was built from values of this scope would else stay.
            for (number, scope) in scopes.enumerated().reversed() where model.chain(number).scopes.contains(at) {
                await scope?.close()
                model.scopes[number].isClosed = true
            }
        case .discard(let at): await scope(at)?.discardBuiltValues()
        case .replaceGlobal(let at): replaceGlobal(by: at)
        case .look(let at, let value):
            guard let scope = scope(at) else { return nil }
            _ = (scope.explain({ _ in Numbered.all[value] }).description, scope.graph.mermaid, scope.debugDescription)
        case .read(let at, let value): return read(value, at)
        case .readTogether(let reads): return readTogether(reads)
        }
        return nil
    }

    private mutating func replaceGlobal(by number: Int) {
        guard let scope = scope(number), model.scopes[number].parent == nil, !isClosed(number),
            model.global.map({ !isClosed($0) }) ?? true
        else { return }
        EnvironmentScope.global = scope
        model.global = number
    }

    /// Whether the scope, or one further out, is closed.
    private func isClosed(_ number: Int) -> Bool { model.chain(number).scopes.contains { model.scopes[$0].isClosed } }

    /// How the model says a parent: what is made under the global scope follows that.
    private func link(to parent: Int?) -> Int? { parent == model.global && parent != nil ? Model.underGlobal : parent }

    /// Has three threads read, and compares what they are given with the model, and with each other.
    private func readTogether(_ reads: [Program.Read]) -> String? {
        let (scopes, recipes) = (scopes, program.recipes)
        let found = Box<[[Numeral?]]>(Array(repeating: [], count: reads.count))
        DispatchQueue.concurrentPerform(iterations: 3) { thread in
            Numbered.$recipes.withValue(recipes) {
                for index in reads.indices {
                    let which = (index + thread * 2) % reads.count
                    let read = reads[which]
                    guard scopes.indices.contains(read.scope), let scope = scopes[read.scope] else { continue }
                    let value = try? scope.value(for: { _ in Numbered.all[read.value] })
                    found.update { $0[which].append(value) }
                }
            }
        }
        for (read, values) in zip(reads, found.value) where !values.isEmpty {
            let expected = try? model.read(read.value, in: read.scope)
            let name = "\(read.scope).\(read.value)"
            if let wrong = values.first(where: { $0?.number != expected?.number }) {
                return "\(name) is \(wrong.map { "\($0.number)" } ?? "an error") on several threads"
            }
            if expected?.keeper != nil, values.contains(where: { $0 !== values[0] }) { return "\(name) is built twice" }
        }
        return nil
    }

    /// Compares a read, and which scopes share what it gives.
    private func read(_ value: Int, _ at: Int) -> String? {
        guard let scope = scope(at) else { return nil }
        let found = try? scope.value(for: { _ in Numbered.all[value] })
        let expected = try? model.read(value, in: at)
        guard found?.number == expected?.number else {
            return "\(at).\(value) is \(found.map { "\($0.number)" } ?? "an error"), should be "
                + (expected.map { "\($0.number)" } ?? "an error")
        }
        // A value stays where it was kept if the policies around its scope become the same by a move.
        guard let found, let keeper = expected?.keeper, !hasMovedPolicies else { return nil }
        let target = model.target(of: value, in: at)
        if model.target(of: target, in: keeper) == target,
            scopes[keeper]?.localValue(for: { _ in Numbered.all[target] }) !== found
        {
            return "\(at).\(value) is not kept in \(keeper)"
        }
        for (other, scope) in scopes.enumerated() {
            guard let scope, let seen = try? model.read(value, in: other), let otherKeeper = seen.keeper else {
                continue
            }
            let isShared = (try? scope.value(for: { _ in Numbered.all[value] })) === found
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
