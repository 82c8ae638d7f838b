import ScopedInjection
import Synchronization

/// Shared scopes that one thread keeps changing, with a subtree for each of the other threads below them.
///
/// The changes are made one after the other. So a read must return what the model returns at one of the states that
/// the shared scopes had during the read.
final class SharedTree: Sendable {
    static let threadCount = 4

    /// What the writer does besides setting and removing values.
    struct Features: OptionSet {
        let rawValue: Int
        /// Aliases; the readers then set nothing, because the result of a set depends on the moment.
        static let aliases = Features(rawValue: 1)
        /// New parents for a shared scope; the readers always give parents to their own scopes.
        static let moves = Features(rawValue: 2)
        static let closing = Features(rawValue: 4)
        /// Other scopes become the global one, which belongs to the whole process.
        static let global = Features(rawValue: 8)
        /// Scopes that forbid or allow defaults.
        static let policies = Features(rawValue: 16)
        /// Builders that inherit their own value.
        static let inheriting = Features(rawValue: 32)
        /// Builders that read through the shared scopes.
        static let capturing = Features(rawValue: 64)

        fileprivate var ofPrograms: Program.Features {
            var features: Program.Features = []
            if contains(.inheriting) { features.insert(.inheriting) }
            if contains(.capturing) { features.insert(.capturing) }
            return features
        }
    }

    let bench: Workbench
    /// The model with the shared scopes after each of the writer's steps.
    private let states: [Model]
    private let steps: [Program.Step]
    private let scopes: [Int: EnvironmentScope]
    /// How the shared scopes were made.
    private let making: [Program.Step]
    private let begun = Atomic(0)
    private let ended = Atomic(0)
    private let seed: UInt64
    private let features: Features
    let failures = Box<[String]>([])

    init(seed: UInt64, length: Int, _ features: Features) {
        var random = Seeded(seed)
        self.seed = seed
        self.features = features
        let keys = (0..<Program.keyCount).map { Program.Key(random: &random, index: $0, features.ofPrograms) }
        bench = Workbench(keys: keys)
        var model = Model(keys: keys)
        var scopes: [Int: EnvironmentScope] = [:]
        if features.contains(.global) {
            let global = EnvironmentScope.empty("0", parent: nil)
            EnvironmentScope.global = global
            scopes[0] = global
        }
        let parents: [Program.Parent] = [features.contains(.global) ? .global : .none, .scope(1), .none]
        making = parents.enumerated().map { .make($0 + 1, $1, Self.policy(&random, features)) }
        for step in making {
            _ = model.apply(step)
            step.perform(on: &scopes, bench)
        }
        self.scopes = scopes
        var states = [model]
        var steps: [Program.Step] = []
        for number in 0..<length {
            let step = Self.sharedStep(&random, number, of: length, features)
            guard model.apply(step) else { continue }
            steps.append(step)
            states.append(model)
        }
        self.steps = steps
        self.states = states
    }

    private static func sharedStep(
        _ random: inout Seeded,
        _ number: Int,
        of length: Int,
        _ features: Features
    ) -> Program.Step {
        let scope = features.contains(.global) ? random.below(4) : 1 + random.below(3)
        if features.contains(.global), random.once(in: 8) { return .replaceGlobal(by: random.once(in: 2) ? 0 : 3) }
        if features.contains(.moves), random.once(in: 8) {
            return .move(2, to: random.once(in: 2) ? .scope(1) : otherRoot(features))
        }
        // Late, because nothing is built in it afterwards.
        if features.contains(.closing), number > length * 3 / 4, random.once(in: 30) { return .close(scope) }
        if features.contains(.aliases), random.once(in: 4) {
            // Always to a later key, so that no chain of scopes forms a circle.
            let key = random.below(Program.keyCount - 1)
            return .alias(key, to: key + 1 + random.below(Program.keyCount - key - 1), in: scope)
        }
        return step(&random, in: scope, UInt64(number), features)
    }

    /// The outermost scope besides 1.
    ///
    /// A scope that may become the global one is named only by that, because the link to it depends on when it is
    /// made.
    private static func otherRoot(_ features: Features) -> Program.Parent {
        features.contains(.global) ? .global : .scope(3)
    }

    private static func policy(_ random: inout Seeded, _ features: Features) -> DefaultsPolicy? {
        guard features.contains(.policies) else { return nil }
        return [nil, nil, nil, .forbidden, .allowed][random.below(5)]
    }

    private static func step(
        _ random: inout Seeded,
        in scope: Int,
        _ number: UInt64,
        _ features: Features
    ) -> Program.Step {
        let key = random.below(Program.keyCount)
        switch random.below(8) {
        case 0...3: return .set(key, in: scope, number)
        case 4, 5:
            let recipe = Recipe(random: &random, above: key, capturing: [1, 2, 3], features.ofPrograms)
            return .provide(key, in: scope, recipe, salt: number)
        case 6: return .remove(key, in: scope)
        default: return .removeAll(in: scope)
        }
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
        if case .close(let scope) = step {
            close(scopes[scope])
        } else {
            var scopes = scopes
            step.perform(on: &scopes, bench)
        }
    }

    private func close(_ scope: EnvironmentScope?) {
        let isClosed = Gate()
        Task {
            await scope?.close()
            isClosed.open()
        }
        isClosed.wait()
    }

    // MARK: The readers

    /// Works in scopes of its own below the shared ones until the writer has ended, and then once more.
    ///
    /// It makes at most 150 rounds, because a read is checked against all states.
    func read(thread: Int) {
        var random = Seeded(seed &+ UInt64(thread) &* 7919)
        var own: [Program.Step] = []
        var scopes = scopes
        let first = 10 * (thread + 1)
        for (number, parent) in [(first, 2), (first + 1, first), (first + 2, 1)] {
            perform(.make(number, .scope(parent), Self.policy(&random, features)), &own, &scopes)
        }
        var isLastRound = false
        var number: UInt64 = 1_000_000 * UInt64(thread + 1)
        for _ in 0..<150 where failures.value.isEmpty {
            number += 1
            if !features.contains(.aliases), random.once(in: 4) {
                perform(Self.ownStep(&random, first, number, features), &own, &scopes)
            }
            for _ in 0..<4 {
                check(random.below(Program.keyCount), first + random.below(3), own, scopes, random.once(in: 2))
            }
            if random.once(in: 3) { request(&random, below: first + random.below(3), number, own, scopes) }
            if isLastRound { return }
            isLastRound = ended.load(ordering: .sequentiallyConsistent) == steps.count
        }
    }

    private func perform(
        _ step: Program.Step,
        _ own: inout [Program.Step],
        _ scopes: inout [Int: EnvironmentScope]
    ) {
        own.append(step)
        step.perform(on: &scopes, bench)
    }

    private static func ownStep(
        _ random: inout Seeded,
        _ first: Int,
        _ number: UInt64,
        _ features: Features
    ) -> Program.Step {
        // The first of the three stays in place, so that no circle is formed. None is moved below the global scope,
        // which may be replaced between naming it and moving.
        let parents = features.contains(.global) ? [first, 1, 2] : [first, 1, 2, 3]
        let parent = Program.Parent.scope(parents[random.below(parents.count)])
        if random.once(in: 3) { return .move(first + 1 + random.below(2), to: parent) }
        return step(&random, in: first + random.below(3), number, features)
    }

    /// Makes a scope, works in it and releases it.
    private func request(
        _ random: inout Seeded,
        below parent: Int,
        _ number: UInt64,
        _ own: [Program.Step],
        _ scopes: [Int: EnvironmentScope]
    ) {
        let request = 100 + parent
        var (own, scopes) = (own, scopes)
        perform(.make(request, .scope(parent), Self.policy(&random, features)), &own, &scopes)
        scopes[request]? {
            for _ in 0..<2 {
                if !features.contains(.aliases) {
                    perform(Self.step(&random, in: request, number + 500_000, features), &own, &scopes)
                }
                check(random.below(Program.keyCount), request, own, scopes, random.once(in: 2))
            }
        }
    }

    private func check(
        _ key: Int,
        _ number: Int,
        _ own: [Program.Step],
        _ scopes: [Int: EnvironmentScope],
        _ isEntered: Bool
    ) {
        guard let scope = scopes[number] else { return }
        let from = ended.load(ordering: .sequentiallyConsistent)
        let found = Result { () throws(ScopeError) in
            isEntered
                ? try scope { () throws(ScopeError) in try EnvironmentScope.current.node(key) } : try scope.node(key)
        }
        let to = begun.load(ordering: .sequentiallyConsistent)
        for state in from...to {
            var model = states[state]
            for step in own { _ = model.apply(step) }
            guard let expected = model.read(key, in: number) else { return }
            switch (expected, found) {
            case (.success(let reading), .success(let node)) where reading.value == node.value: return
            case (.failure(let failure), .failure(let error)) where failure.code == error.code: return
            default: continue
            }
        }
        failures.update { [seed, steps, making] in
            let meanwhile = steps[from..<to]
            $0.append(
                """
                seed \(seed), states \(from)...\(to), during \(meanwhile): key \(key) in scope \(number) gave \
                \(found.map(\.value)) after \(making + own); keys \(bench.keys)
                """
            )
        }
    }

    // MARK: Afterwards

    /// Compares the values and the content of the shared scopes, once the writer and the readers have ended.
    func checkAtRest() {
        do throws(Runner.Mismatch) {
            try Runner.check(scopes, states[steps.count], after: steps, bench)
        } catch {
            failures.update { [seed, steps, making] in
                $0.append("seed \(seed), at rest after \(making + steps): \(error); keys \(bench.keys)")
            }
        }
    }
}
