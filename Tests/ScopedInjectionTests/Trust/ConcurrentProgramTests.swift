import Foundation
import ScopedInjection
import Synchronization
import Testing

/// Shared scopes that one thread keeps changing, and below them a subtree for each of the other threads.
///
/// The changes are made one after the other, so what a read gives must be what the model gives at one of the states
/// that the shared scopes were in while the read went on.
private final class SharedTree: Sendable {
    static let threadCount = 4
    private static let shared = [1, 2]

    let bench: Workbench
    /// The model with the shared scopes after each of the writer's steps.
    private let states: [Model]
    private let steps: [Program.Step]
    private let scopes: [Int: EnvironmentScope]
    private let begun = Atomic(0)
    private let ended = Atomic(0)
    private let seed: UInt64
    let failures = Box<[String]>([])

    init(seed: UInt64, length: Int) {
        var random = Seeded(seed)
        self.seed = seed
        let keys = (0..<Program.keyCount).map { Program.Key(random: &random, index: $0) }
        bench = Workbench(keys: keys)
        let root = EnvironmentScope.empty("1", parent: nil)
        scopes = [1: root, 2: .empty("2", parent: root)]
        var model = Model(keys: keys)
        _ = model.apply(.make(1, .none, nil))
        _ = model.apply(.make(2, .scope(1), nil))
        var states = [model]
        var steps: [Program.Step] = []
        for number in 0..<length {
            let step = Self.step(&random, in: Self.shared[random.below(2)], UInt64(number))
            guard model.apply(step) else { continue }
            steps.append(step)
            states.append(model)
        }
        self.steps = steps
        self.states = states
    }

    static func step(_ random: inout Seeded, in scope: Int, _ number: UInt64) -> Program.Step {
        let key = random.below(Program.keyCount)
        return switch random.below(8) {
        case 0...3: .set(key, in: scope, number)
        case 4, 5: .provide(key, in: scope, Recipe(random: &random, above: key), salt: number)
        case 6: .remove(key, in: scope)
        default: .removeAll(in: scope)
        }
    }

    // MARK: The writer

    func write() {
        for (index, step) in steps.enumerated() {
            begun.store(index + 1, ordering: .sequentiallyConsistent)
            perform(step, scopes)
            ended.store(index + 1, ordering: .sequentiallyConsistent)
        }
    }

    private func perform(_ step: Program.Step, _ scopes: [Int: EnvironmentScope]) {
        switch step {
        case .set(let key, let scope, let value): scopes[scope]?.setNode(key, Node(value, bench))
        case .provide(let key, let scope, let recipe, let salt):
            scopes[scope]?.provideNode(key, recipe, salt: salt, bench)
        case .remove(let key, let scope): scopes[scope]?.removeNode(key)
        case .removeAll(let scope): scopes[scope]?.removeAll()
        default: break
        }
    }

    // MARK: The readers

    /// Works in scopes of its own below the shared ones until the writer has ended, and once more then; or for so long
    /// that going through all of it again at each read would take too much time.
    func read(thread: Int) {
        var random = Seeded(seed &+ UInt64(thread) &* 7919)
        var own: [Program.Step] = []
        var scopes = scopes
        let first = 10 * (thread + 1)
        for (number, parent) in [(first, 2), (first + 1, first), (first + 2, 1)] {
            own.append(.make(number, .scope(parent), nil))
            scopes[number] = .empty("\(number)", parent: scopes[parent])
        }
        var isLastRound = false
        var number: UInt64 = 1_000_000 * UInt64(thread + 1)
        for _ in 0..<150 where failures.value.isEmpty {
            number += 1
            let scope = first + random.below(3)
            if random.once(in: 4) {
                let step = Self.step(&random, in: scope, number)
                own.append(step)
                perform(step, scopes)
            }
            for _ in 0..<4 {
                check(random.below(Program.keyCount), first + random.below(3), own, scopes)
            }
            if isLastRound { return }
            isLastRound = ended.load(ordering: .sequentiallyConsistent) == steps.count
        }
    }

    private func check(_ key: Int, _ number: Int, _ own: [Program.Step], _ scopes: [Int: EnvironmentScope]) {
        guard let scope = scopes[number] else { return }
        let from = ended.load(ordering: .sequentiallyConsistent)
        let found = Result { () throws(ScopeError) in try scope.node(key) }
        let to = begun.load(ordering: .sequentiallyConsistent)
        for state in from...to {
            var model = states[state]
            for step in own { _ = model.apply(step) }
            var view = model.view(of: number)
            let expected = Result { () throws(View.Failure) in try view.read(key) }
            switch (expected, found) {
            case (.success(let reading), .success(let node)) where reading.value == node.value: return
            case (.failure(let failure), .failure(let error)) where failure.code == error.code: return
            default: continue
            }
        }
        failures.update { [seed] in
            $0.append("seed \(seed), states \(from)...\(to): key \(key) in scope \(number) gave \(found) after \(own)")
        }
    }

}

@Suite("R1, R2, R5: reads on several threads below scopes that are being changed")
struct ConcurrentProgramTests {
    /// `SCOPED_INJECTION_CONCURRENT_PROGRAMS` says how many programs.
    private static let count: UInt64 = {
        let environment = ProcessInfo.processInfo.environment
        #if DEBUG
            let usual: UInt64 = 20
        #else
            let usual: UInt64 = 400
        #endif
        return environment["SCOPED_INJECTION_CONCURRENT_PROGRAMS"].flatMap { UInt64($0) } ?? usual
    }()

    @Test(
        "Every read is one that some order of the writes explains, and nothing is left over",
        .timeLimit(.minutes(30))
    )
    func explained() {
        for seed in 0..<Self.count {
            let bench: Workbench
            do {
                let tree = SharedTree(seed: seed, length: 60)
                bench = tree.bench
                let box = Box<SharedTree?>(tree)
                onThreads(SharedTree.threadCount + 1) { thread in
                    guard let tree = box.value else { return }
                    Workbench.$current.withValue(tree.bench) {
                        if thread == SharedTree.threadCount { tree.write() } else { tree.read(thread: thread) }
                    }
                }
                box.value = nil
                guard tree.failures.value.isEmpty else {
                    Issue.record("\(tree.failures.value.joined(separator: "\n"))")
                    return
                }
            }
            #expect(bench.nodes.load(ordering: .relaxed) == 0)
            #expect(bench.providers.load(ordering: .relaxed) == 0)
        }
    }
}
