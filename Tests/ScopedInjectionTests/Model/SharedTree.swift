import ScopedInjection
import Synchronization

/// Shared scopes that one thread keeps changing, with a subtree for each of the other threads below them.
///
/// The changes are made one after the other. So a read must give what the model says of one of the states that the shared
/// scopes had during the read.
final class SharedTree: Sendable {
    let bench: Workbench
    let threadCount: Int
    let failures = Box<[String]>([])
    /// The shared scopes as the model has them after each of the writer's steps.
    private let states: [Model]
    private let steps: [Program.Step]
    private let scopes: [Int: EnvironmentScope]
    /// How the shared scopes were made.
    private let making: [Program.Step]
    private let begun = Atomic(0)
    private let ended = Atomic(0)
    private let seed: UInt64
    private let features: Program.Features
    /// Whether the writer moves a scope; without moves, kept values stay valid for longer.
    private let moves: Bool

    init(seed: UInt64, length: Int, _ features: Program.Features) {
        var random = Seeded(seed)
        self.seed = seed
        self.features = features
        moves = !random.once(in: 4)
        threadCount = 3 + random.below(3)
        let values = Program.declarations(&random, features)
        bench = Workbench(values)
        var model = Model(values, usesGlobal: features.contains(.global), closesAll: false)
        var scopes: [Int: EnvironmentScope] = [:]
        if features.contains(.global) {
            let global = EnvironmentScope.empty("0", parent: nil)
            EnvironmentScope.global = global
            scopes[0] = global
        }
        let parents: [Program.Parent] = [features.contains(.global) ? .global : .none, .scope(1), .none]
        making = parents.enumerated().map { .make($0 + 1, $1, .random(&random, features)) }
        for step in making where model.apply(step) { step.perform(on: &scopes, bench) }
        var (states, steps) = ([model], [Program.Step]())
        for number in 0..<length {
            let step = Self.sharedStep(&random, UInt64(number + 1), isLate: number > length * 3 / 4, features, moves)
            guard model.apply(step) else { continue }
            steps.append(step)
            states.append(model)
        }
        (self.scopes, self.steps, self.states) = (scopes, steps, states)
    }

    private static func sharedStep(
        _ random: inout Seeded,
        _ number: UInt64,
        isLate: Bool,
        _ features: Program.Features,
        _ moves: Bool
    ) -> Program.Step {
        let isGlobal = features.contains(.global)
        let scope = isGlobal ? random.below(4) : 1 + random.below(3)
        if isGlobal, random.once(in: 8) { return .replaceGlobal(by: random.once(in: 2) ? 0 : 3) }
        // A scope that may become the global one is named only by that, because the link to it depends on when it is made.
        if moves, random.once(in: 8) {
            return .move(2, to: random.once(in: 2) ? .scope(1) : isGlobal ? .global : .scope(3))
        }
        if random.once(in: 16) { return .discard(in: scope) }
        // Late, because nothing is kept in it afterwards.
        if features.contains(.closing), isLate, random.once(in: 30) { return .close(scope) }
        return .change(&random, in: scope, number, features)
    }

    // MARK: The writer

    func write() {
        for (index, step) in steps.enumerated() {
            begun.store(index + 1, ordering: .sequentiallyConsistent)
            perform(step)
            ended.store(index + 1, ordering: .sequentiallyConsistent)
        }
    }

    private func perform(_ step: Program.Step) {
        switch step {
        case .close(let scope): wait { await $0.scopes[scope]?.close() }
        case .discard(let scope): wait { await $0.scopes[scope]?.discardBuiltValues() }
        default:
            var scopes = scopes
            step.perform(on: &scopes, bench)
        }
    }

    private func wait(_ operation: @escaping @Sendable (SharedTree) async -> Void) {
        let isOver = Gate()
        Task {
            await operation(self)
            isOver.open()
        }
        isOver.wait()
    }

    // MARK: The readers

    /// What a reader does in scopes of its own.
    private struct Reader {
        var random: Seeded
        /// The number of the first of its scopes.
        let first: Int
        var own: [Program.Step] = []
        var scopes: [Int: EnvironmentScope]
        var number: UInt64
    }

    /// Works in scopes of its own below the shared ones until the writer has ended, and then once more.
    ///
    /// It makes at most 150 rounds, because a read is checked against all states.
    func read(thread: Int) {
        let first = 10 * (thread + 1)
        var reader = Reader(
            random: Seeded(seed &+ UInt64(thread) &* 7919),
            first: first,
            scopes: scopes,
            number: 1_000_000 * UInt64(thread + 1)
        )
        for (number, parent) in [(first, 2), (first + 1, first), (first + 2, 1)] {
            perform(.make(number, .scope(parent), .random(&reader.random, features)), by: &reader)
        }
        var isLastRound = false
        for _ in 0..<150 where failures.value.isEmpty {
            reader.number += 1
            // Where there are aliases, what a change concerns depends on the moment.
            if !features.contains(.aliases), reader.random.once(in: 4) { perform(ownStep(&reader), by: &reader) }
            for _ in 0..<4 { check(first + reader.random.below(3), by: &reader) }
            if reader.random.once(in: 3) { request(below: first + reader.random.below(3), by: &reader) }
            if isLastRound { return }
            isLastRound = ended.load(ordering: .sequentiallyConsistent) == steps.count
        }
    }

    private func perform(_ step: Program.Step, by reader: inout Reader) {
        reader.own.append(step)
        step.perform(on: &reader.scopes, bench)
    }

    private func ownStep(_ reader: inout Reader) -> Program.Step {
        // The first of the three stays in place, so that no circle is formed. None is moved below the global scope, which
        // may be replaced between naming it and moving.
        let parents = features.contains(.global) ? [reader.first, 1, 2] : [reader.first, 1, 2, 3]
        if reader.random.once(in: 3) {
            let parent = Program.Parent.scope(parents[reader.random.below(parents.count)])
            return .move(reader.first + 1 + reader.random.below(2), to: parent)
        }
        return .change(&reader.random, in: reader.first + reader.random.below(3), reader.number, features)
    }

    /// Makes a scope, works in it and lets go of it.
    private func request(below parent: Int, by reader: inout Reader) {
        let (request, own) = (100 + parent, reader.own)
        perform(.make(request, .scope(parent), .random(&reader.random, features)), by: &reader)
        if let scope = reader.scopes[request] {
            scope {
                for _ in 0..<2 {
                    if !features.contains(.aliases) {
                        perform(.change(&reader.random, in: request, reader.number + 500_000, features), by: &reader)
                    }
                    check(request, by: &reader)
                }
            }
        }
        reader.scopes[request] = nil
        reader.own = own
    }

    /// Reads a value, and looks for a moment that explains what that gives.
    private func check(_ number: Int, by reader: inout Reader) {
        guard let scope = reader.scopes[number] else { return }
        let value = reader.random.below(bench.values.count)
        let declared = bench.declared[value]
        let route = reader.random.below(3)
        let time = bench.clock.load(ordering: .sequentiallyConsistent)
        let from = ended.load(ordering: .sequentiallyConsistent)
        let found = Result { () throws(ScopeError) in
            switch route {
            case 0: try scope { () throws(ScopeError) in try EnvironmentScope.current.value(for: declared) }
            case 1: try scope { () throws(ScopeError) in try bench.refer(to: value) }
            default: try scope.value(for: declared)
            }
        }
        let to = begun.load(ordering: .sequentiallyConsistent)
        var expected: [String] = []
        for state in from...to {
            var model = states[state]
            for step in reader.own { _ = model.apply(step) }
            let result = model.read(value, in: number)
            expected.append("\(result.map(\.number))")
            switch (result, found) {
            case (.success(let reading), .success(let item)) where reading.number == item.number:
                let cleanedUp = item.node?.token?.ranAt.load(ordering: .acquiring) ?? 0
                if reading.place == nil || cleanedUp == 0 || cleanedUp > time { return }
            case (.failure(let failure), .failure(let error)) where failure.code == error.code: return
            default: continue
            }
        }
        let program = Program(seed: seed, values: bench.values, steps: making + steps[..<from] + reader.own)
        failures.update { [steps, expected] in
            $0.append(
                """
                No moment explains that value \(value) in scope \(number) gave \(found.map(\.number)), \
                instead of \(expected.joined(separator: " or ")), \
                while another thread did \(steps[from..<to]), after
                \(program)
                """
            )
        }
    }

    // MARK: Afterwards

    /// Compares all reads of the shared scopes with the model, once the writer and the readers have ended.
    func checkAtRest() {
        do throws(Runner.Mismatch) {
            try Runner.check(scopes, states[steps.count], bench)
        } catch {
            let program = Program(seed: seed, values: bench.values, steps: making + steps)
            failures.update { $0.append("At rest: \(error), after\n\(program)") }
        }
    }
}

// MARK: - Running

extension SharedTree {
    /// Runs a program; what is wrong with it, if anything.
    static func run(seed: UInt64, _ features: Program.Features) async -> String? {
        let tree = Box<SharedTree?>(SharedTree(seed: seed, length: 60, features))
        guard let bench = tree.value?.bench, let threadCount = tree.value?.threadCount else { return nil }
        await onThreads(threadCount + 1) { thread in
            guard let tree = tree.value else { return }
            Workbench.$current.withValue(tree.bench) {
                if thread == tree.threadCount { tree.write() } else { tree.read(thread: thread) }
            }
        }
        if let tree = tree.value, tree.failures.value.isEmpty {
            Workbench.$current.withValue(tree.bench) { tree.checkAtRest() }
        }
        let failures = tree.value?.failures.value ?? []
        tree.value = nil
        if features.contains(.global) { EnvironmentScope.global = .empty("global", parent: nil) }
        if let failure = failures.first { return failure }
        // The task that closed a scope lets go of it a little later.
        let isOver = await Runner.settled {
            bench.nodes.load(ordering: .relaxed) == 0 && bench.builders.load(ordering: .relaxed) == 0
        }
        return isOver ? nil : "seed \(seed): something outlives the last scope"
    }
}
