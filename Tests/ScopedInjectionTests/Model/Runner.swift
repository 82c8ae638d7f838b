import ScopedInjection
import Synchronization

/// Runs a program on the library and on the model, and compares all reads after each step.
struct Runner {
    /// A difference between the library and the model.
    struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    let bench: Workbench
    let program: Program
    var model: Model
    var scopes: [Int: EnvironmentScope] = [:]
    var random: Seeded
    private var instances = Instances()
    private(set) var checkedSteps = 0

    /// - Returns: The number of steps after which reads were compared.
    @discardableResult
    static func run(_ program: Program) async throws(Mismatch) -> Int {
        let bench = Workbench(program.values)
        let result = await Workbench.$current.withValue(bench) { () async -> Result<Int, Mismatch> in
            do throws(Mismatch) { return .success(try await run(program, bench)) } catch { return .failure(error) }
        }
        let checkedSteps = try result.get()
        guard
            await settled({ bench.nodes.load(ordering: .relaxed) == 0 && bench.builders.load(ordering: .relaxed) == 0 })
        else { throw Mismatch(description: "something outlives the last scope") }
        return checkedSteps
    }

    private static func run(_ program: Program, _ bench: Workbench) async throws(Mismatch) -> Int {
        var runner = Runner(program, bench)
        defer { if program.usesGlobal { EnvironmentScope.global = .empty("global", parent: nil) } }
        for (index, step) in program.steps.enumerated() {
            do throws(Mismatch) {
                guard try await runner.perform(step) else { continue }
                try runner.check()
            } catch {
                throw Mismatch(description: "after step \(index), \(step): \(error)")
            }
        }
        try await runner.closeAll()
        return runner.checkedSteps
    }

    /// Compares a model with scopes in which other threads have worked.
    static func check(_ scopes: [Int: EnvironmentScope], _ model: Model, _ bench: Workbench) throws(Mismatch) {
        var runner = Runner(Program(values: bench.values, steps: []), bench)
        runner.model = model
        runner.scopes = scopes
        try runner.check()
    }

    /// Whether something becomes true soon, that tasks of the library may have to do first.
    static func settled(_ condition: () -> Bool) async -> Bool {
        for _ in 0..<50_000 where !condition() { await Task.yield() }
        return condition()
    }

    init(_ program: Program, _ bench: Workbench) {
        self.bench = bench
        self.program = program
        let cleansUp = program.values.contains { $0.recipe.cleansUp } || program.steps.contains { $0.cleansUp }
        model = Model(program.values, usesGlobal: program.usesGlobal, closesAll: cleansUp)
        random = Seeded(program.seed)
        if program.usesGlobal {
            let global = EnvironmentScope.empty("0", parent: nil)
            EnvironmentScope.global = global
            scopes[0] = global
        }
    }

    // MARK: Steps

    mutating func perform(_ step: Program.Step) async throws(Mismatch) -> Bool {
        let before = model
        guard model.apply(step) else { return false }
        switch step {
        case .discard(let scope):
            await scopes[scope]?.discardBuiltValues()
            letGo(of: scope)
        case .close(let scope):
            await scopes[scope]?.close()
            guard scopes[scope]?.isClosed == true else { throw Mismatch(description: "the scope is not closed") }
            letGo(of: scope)
        case .drop(let scope):
            for other in below(scope, before) { instances.move(other) }
            weak let dropped = scopes.removeValue(forKey: scope)
            if model.isAlive(scope) { break }
            // A task that runs cleanups holds it a little longer.
            guard await Self.settled({ dropped == nil }) else {
                throw Mismatch(description: "the scope is still alive")
            }
        case .remove(let value, let scope):
            let target = before.view(of: scope).target(of: value)
            step.perform(on: &scopes, bench)
            letGo(of: scope, only: target)
        case .removeAll(let scope):
            step.perform(on: &scopes, bench)
            letGo(of: scope)
        case .move(let scope, _):
            step.perform(on: &scopes, bench)
            for other in below(scope, model) { instances.move(other) }
        case .replaceGlobal:
            step.perform(on: &scopes, bench)
            for other in scopes.keys { instances.move(other) }
        default:
            step.perform(on: &scopes, bench)
        }
        return true
    }

    /// The scopes whose chain has a scope.
    private func below(_ scope: Int, _ model: Model) -> [Int] {
        scopes.keys.filter { model.view(of: $0).numbers.contains(scope) }
    }

    private mutating func letGo(of scope: Int, only value: Int? = nil) {
        instances.letGo(of: value, in: scope)
        for other in below(scope, model) { instances.allowRebuild(in: other) }
    }

    /// R11: closes all scopes; then each cleanup has run, once.
    private mutating func closeAll() async throws(Mismatch) {
        for scope in scopes.keys.sorted().reversed() { await scopes[scope]?.close() }
        if !model.closesAll { return }
        let tokens = bench.tokens.value
        guard await Self.settled({ tokens.allSatisfy { $0.runs.load(ordering: .acquiring) > 0 } }) else {
            throw Mismatch(description: "a cleanup has not run although all scopes are closed")
        }
        guard tokens.allSatisfy({ $0.runs.load(ordering: .relaxed) == 1 }) else {
            throw Mismatch(description: "a cleanup has run more than once")
        }
    }

    // MARK: Reads

    private mutating func check() throws(Mismatch) {
        let isSome = program.reads == .some
        instances.startRound(isWhole: !isSome)
        let evaluations = scopes.keys.sorted().map { ($0, Evaluation(program.values, model.view(of: $0))) }
        if program.reads == .all {
            for (scope, evaluation) in evaluations.sorted(by: { $0.1.view.numbers.count < $1.1.view.numbers.count }) {
                for value in program.values.indices { try check(value, scope, evaluation) }
            }
        } else {
            let most = isSome ? min(12, program.values.count / 3) : program.values.count
            for (scope, evaluation) in evaluations.shuffled(using: &random) {
                for value in program.values.indices.shuffled(using: &random).prefix(most) {
                    try check(value, scope, evaluation)
                }
            }
        }
        checkedSteps += 1
        if isSome { return }
        try checkInputs()
        for (scope, evaluation) in evaluations.shuffled(using: &random).prefix(2) {
            for value in program.values.indices where random.once(in: 3) { try check(value, scope, evaluation) }
        }
    }

    private mutating func check(_ value: Int, _ number: Int, _ evaluation: Evaluation) throws(Mismatch) {
        guard let scope = scopes[number] else { return }
        var evaluation = evaluation
        let expected = evaluation.read(value)
        let context = { "value \(value) in scope \(number)" }
        if random.once(in: 4) { try checkLocal(value, scope, evaluation, expected, context) }
        switch (expected, found(value, scope, expected)) {
        case (.success(let reading), .success(let item)) where reading.number == item.number:
            try note(item, reading, scope, evaluation, context)
        case (.failure(let failure), .failure(let error)) where failure.code == error.code: break
        case (_, let found):
            throw Mismatch(description: "\(context()) gives \(text(found)) instead of \(text(expected))")
        }
    }

    /// R3: an instance is kept in one place, which has no other, and stays there as long as its inputs do.
    private mutating func note(
        _ item: Item,
        _ reading: Evaluation.Reading,
        _ scope: EnvironmentScope,
        _ evaluation: Evaluation,
        _ context: () -> String
    ) throws(Mismatch) {
        guard let place = reading.place, let node = item.node else { return }
        let owner = evaluation.view.numbers[place]
        if let problem = instances.note(node, reading, owner) {
            throw Mismatch(description: "\(context()), which scope \(owner) has to hold: \(problem)")
        }
        if let token = node.token, token.runs.load(ordering: .acquiring) > 0 {
            throw Mismatch(description: "\(context()) gives a value whose cleanup has run")
        }
        if scopes[owner].map({ $0.localValue(for: bench.declared[reading.value])?.node !== node }) ?? false {
            throw Mismatch(description: "\(context()) is not the local value of scope \(owner)")
        }
    }

    private mutating func found(
        _ value: Int,
        _ scope: EnvironmentScope,
        _ expected: Result<Evaluation.Reading, Evaluation.Failure>
    ) -> Result<Item, ScopeError> {
        let (bench, declared) = (bench, bench.declared[value])
        switch (random.below(6), expected) {
        case (0, .success): return .success(scope[declared])
        case (1, _):
            return Result { () throws(ScopeError) in try scope { () throws(ScopeError) in try bench.refer(to: value) } }
        case (2, .failure(let failure)):
            // R10: nil only where the value itself is missing.
            let found = Result { () throws(ScopeError) in try scope.valueIfAny(for: declared) }
            switch found {
            case .success(nil) where failure.isNil, .failure:
                return Result { () throws(ScopeError) in try scope.value(for: declared) }
            case .success(let item): return .success(item ?? nil)
            }
        case (3, .success):
            return Result { () throws(ScopeError) in try scope.valueIfAny(for: declared) ?? nil }
        default: return Result { () throws(ScopeError) in try scope.value(for: declared) }
        }
    }

    /// What a scope says that it holds is set there, or is what a read gives.
    private func checkLocal(
        _ value: Int,
        _ scope: EnvironmentScope,
        _ evaluation: Evaluation,
        _ expected: Result<Evaluation.Reading, Evaluation.Failure>,
        _ context: () -> String
    ) throws(Mismatch) {
        guard evaluation.view.target(of: value) == value, let item = scope.localValue(for: bench.declared[value]) else {
            return
        }
        if case .success(let reading) = expected, reading.place == 0 || reading.origin == .constant,
            reading.number == item.number
        {
            return
        }
        throw Mismatch(
            description: "\(context()) is held here, \(item.number), but a read is to give \(text(expected))"
        )
    }

    /// R3: what a kept value was built from is what its keeper sees now, the same instance.
    private func checkInputs() throws(Mismatch) {
        for (key, node) in instances.kept {
            guard scopes[key.owner] != nil, !instances.wasMoved(node.id) else { continue }
            var evaluation = Evaluation(program.values, model.view(of: key.owner))
            for input in node.inputs {
                guard case .success(let reading) = evaluation.read(input.value), let place = reading.place,
                    let known = instances.node(of: reading.value, in: evaluation.view.numbers[place])
                else { continue }
                if known.id != input.id, !instances.isQuietlyGone(input.id) {
                    throw Mismatch(
                        description:
                            "value \(key.value) in scope \(key.owner) was built from another instance of value "
                            + "\(input.value) than the scope sees"
                    )
                }
            }
        }
    }

    private func text(_ found: Result<Item, ScopeError>) -> String {
        switch found {
        case .success(let item): "\(item.number)"
        case .failure(let error): "the error \(error.code)"
        }
    }

    private func text(_ expected: Result<Evaluation.Reading, Evaluation.Failure>) -> String {
        switch expected {
        case .success(let reading): "\(reading.number)"
        case .failure(let failure): "the error \(failure.code)"
        }
    }
}

extension Program.Step {
    fileprivate var cleansUp: Bool {
        switch self {
        case .provide(_, _, let recipe), .decorate(_, _, let recipe): recipe.cleansUp
        default: false
        }
    }
}
