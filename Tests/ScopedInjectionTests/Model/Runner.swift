import ScopedInjection
import Synchronization

/// Runs a program on the library and on the model, and compares all reads after each step.
struct Runner {
    /// A difference between the library and the model.
    struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    private let bench: Workbench
    private let program: Program
    private var model: Model
    private var scopes: [Int: EnvironmentScope] = [:]
    private var random: Seeded
    private var instances = Instances()
    /// Whether more values may be alive than the reads of all keys show.
    private var isLoose = false
    /// A scope whose changes make the library check all kept values again; nothing else uses it.
    private let outsider = EnvironmentScope.empty("outsider", parent: nil)
    private let belowOutsider: EnvironmentScope
    private(set) var checkedSteps = 0

    /// - Returns: The number of steps after which every read in every scope was compared.
    @discardableResult
    static func run(_ program: Program) async throws(Mismatch) -> Int {
        let bench = Workbench(keys: program.keys)
        let result = await Workbench.$current.withValue(bench) { () async -> Result<Int, Mismatch> in
            do throws(Mismatch) {
                return .success(try await run(program, bench))
            } catch {
                return .failure(error)
            }
        }
        let checkedSteps = try result.get()
        guard bench.nodes.load(ordering: .relaxed) == 0, bench.providers.load(ordering: .relaxed) == 0 else {
            throw Mismatch(description: "something outlives the last scope")
        }
        return checkedSteps
    }

    private static func run(_ program: Program, _ bench: Workbench) async throws(Mismatch) -> Int {
        var runner = Runner(program, bench)
        if program.usesGlobal {
            let global = EnvironmentScope.empty("0", parent: nil)
            EnvironmentScope.global = global
            runner.scopes[0] = global
        }
        defer { if program.usesGlobal { EnvironmentScope.global = .empty(parent: nil) } }
        for (index, step) in program.steps.enumerated() {
            do throws(Mismatch) {
                try await runner.perform(step)
                try runner.check()
            } catch {
                throw Mismatch(description: "after step \(index), \(step): \(error)")
            }
        }
        return runner.checkedSteps
    }

    /// Compares a model with the reads and the content of scopes in which other threads have worked.
    static func check(
        _ scopes: [Int: EnvironmentScope],
        _ model: Model,
        after steps: [Program.Step],
        _ bench: Workbench
    ) throws(Mismatch) {
        var runner = Runner(Program(keys: bench.keys, steps: []), bench)
        // What a builder once inherited stays in its place.
        for case .provide(_, _, let recipe, _) in steps where recipe.inherits { runner.isLoose = true }
        runner.model = model
        runner.scopes = scopes
        try runner.check()
    }

    private init(_ program: Program, _ bench: Workbench) {
        self.bench = bench
        self.program = program
        belowOutsider = .empty(parent: outsider)
        model = Model(keys: program.keys)
        random = Seeded(program.seed)
    }

    // MARK: Steps

    private mutating func perform(_ step: Program.Step) async throws(Mismatch) {
        guard model.apply(step) else { return }
        switch step {
        case .close(let scope):
            await scopes[scope]?.close()
        case .drop(let scope):
            weak let dropped = scopes.removeValue(forKey: scope)
            if !model.isAlive(scope), dropped != nil { throw Mismatch(description: "the scope is still alive") }
        default:
            step.perform(on: &scopes, bench)
        }
    }

    // MARK: Reads

    private mutating func check() throws(Mismatch) {
        instances = Instances()
        let views = scopes.keys.sorted().map { ($0, model.view(of: $0)) }
        switch program.reads {
        case .all:
            for (scope, view) in views.sorted(by: { $0.1.scopes.count < $1.1.scopes.count }) {
                for key in program.keys.indices { try check(key, scope, view) }
            }
        case .shuffled:
            for (scope, view) in views.shuffled(using: &random) {
                for key in program.keys.indices.shuffled(using: &random) { try check(key, scope, view) }
            }
        case .some:
            for (scope, view) in views.shuffled(using: &random) {
                for key in program.keys.indices.shuffled(using: &random) where random.once(in: 4) {
                    try check(key, scope, view)
                }
            }
        }
        try checkInherited()
        guard program.reads != .some else { return }
        checkedSteps += 1
        try checkLifetimes()
        // A change elsewhere changes nothing, and rebuilds nothing.
        outsider.removeValue(for: PortKey.self)
        outsider.port = checkedSteps
        for (scope, view) in views.shuffled(using: &random) {
            for key in program.keys.indices where random.once(in: 3) { try check(key, scope, view) }
        }
    }

    private mutating func check(_ key: Int, _ number: Int, _ view: View) throws(Mismatch) {
        guard let scope = scopes[number] else { return }
        guard let expected = model.read(key, in: number) else {
            isLoose = true
            return
        }
        let found: Result<Node, ScopeError>
        if case .success = expected, random.once(in: 2) {
            found = .success(scope.nodeOfProperty(key))
        } else {
            found = Result { () throws(ScopeError) in try scope.node(key) }
        }
        switch (expected, found) {
        case (.success(let reading), .success(let node)) where reading.value == node.value:
            if reading.key != key { instances.hiddenCount += 1 }
            guard reading.lifetime != .transient else { return }
            let owner = view.numbers[reading.place]
            guard instances.note(node, key: reading.key, owner: owner, isSet: reading.lifetime == nil) else {
                throw Mismatch(
                    description:
                        "key \(key) in scope \(number): the instance is not shared exactly where \(owner) has it"
                )
            }
        case (.failure(let failure), .failure(let error)) where failure.code == error.code:
            instances.hiddenCount += 1
        default:
            throw Mismatch(description: "key \(key) in scope \(number): \(text(found)) instead of \(text(expected))")
        }
    }

    /// Compares a few reads of inherited values, and of values that may be missing.
    private mutating func checkInherited() throws(Mismatch) {
        for (number, scope) in scopes.sorted(by: { $0.key < $1.key }) where random.once(in: 4) {
            let key = random.below(program.keys.count)
            guard let expected = model.inherited(key, in: number), let read = model.read(key, in: number) else {
                continue
            }
            let found = Result { () throws(ScopeError) in try scope.inheritedNode(key) }
            isLoose = true
            guard isSame(expected, found) else {
                throw Mismatch(
                    description: "key \(key) inherited by scope \(number): \(text(found)) instead of \(text(expected))"
                )
            }
            let ifAny = Result { () throws(ScopeError) in try scope.nodeIfAny(key) }
            if case .success(nil) = ifAny {
                if case .failure(let failure) = read, failure.missing == key { continue }
                throw Mismatch(description: "key \(key) in scope \(number) is nil instead of \(text(read))")
            }
            let isMissing = if case .failure(let failure) = read { failure.missing == key } else { false }
            guard !isMissing, let node = ifAny.unwrapping(), isSame(read, node) else {
                throw Mismatch(description: "key \(key) in scope \(number), if any: \(ifAny) instead of \(text(read))")
            }
        }
    }

    private func isSame(_ expected: Result<Model.Reading, Model.Failure>, _ found: Result<Node, ScopeError>) -> Bool {
        switch (expected, found) {
        case (.success(let reading), .success(let node)): reading.value == node.value
        case (.failure(let failure), .failure(let error)): failure.code == error.code
        default: false
        }
    }

    private func text(_ found: Result<Node, ScopeError>) -> String {
        switch found {
        case .success(let node): "\(node.value)"
        case .failure(let error): "the error \(error.code)"
        }
    }

    private func text(_ expected: Result<Model.Reading, Model.Failure>) -> String {
        switch expected {
        case .success(let reading): "\(reading.value)"
        case .failure(let failure): "the error \(failure.code)"
        }
    }

    // MARK: Lifetimes

    /// Compares the values that are alive, after everything was read, with those that the scopes should hold.
    private mutating func checkLifetimes() throws(Mismatch) {
        // Nothing is read in a global scope that the program no longer holds.
        guard model.isHeld(model.global) || !program.usesGlobal else { return }
        var set = 0
        var provided = 0
        for scope in scopes.keys {
            for bound in model.scopes[scope]?.bindings ?? [] {
                switch bound?.binding {
                case .set: set += 1
                case .provided(let provision):
                    provided += 1
                    if provision.recipe.inherits { isLoose = true }
                case .alias, nil: break
                }
            }
        }
        let nodes = bench.nodes.load(ordering: .relaxed)
        let seen = set + instances.builtCount
        // A scope keeps an inherited value beside its own, until the scope goes or another value replaces it.
        guard nodes >= seen, isLoose || nodes <= seen + instances.hiddenCount else {
            throw Mismatch(description: "\(nodes) values alive instead of \(set) set and \(instances.builtCount) kept")
        }
        let providers = bench.providers.load(ordering: .relaxed)
        guard providers == provided else {
            throw Mismatch(description: "\(providers) builders alive instead of \(provided)")
        }
    }
}

/// The instances that were read, and where they belong.
private struct Instances {
    private struct Place: Hashable {
        let key: Int
        let owner: Int
    }

    private var nodes: [Place: Node] = [:]
    private var places: [ObjectIdentifier: Place] = [:]
    private(set) var builtCount = 0
    /// How many reads failed although the scope may hold a value of the key, which shows again later.
    var hiddenCount = 0

    /// False if another instance of the same place was read, or this instance in another place.
    mutating func note(_ node: Node, key: Int, owner: Int, isSet: Bool) -> Bool {
        let place = Place(key: key, owner: owner)
        if let known = nodes[place] { return known === node }
        guard places.updateValue(place, forKey: ObjectIdentifier(node)) == nil else { return false }
        nodes[place] = node
        if !isSet { builtCount += 1 }
        return true
    }
}

extension Result where Failure == ScopeError {
    /// The value without the optional; nil for nil.
    fileprivate func unwrapping<Value>() -> Result<Value, ScopeError>? where Success == Value? {
        switch self {
        case .success(let value): value.map { .success($0) }
        case .failure(let error): .failure(error)
        }
    }
}
