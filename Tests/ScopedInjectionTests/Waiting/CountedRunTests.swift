import Foundation
import ScopedInjection
import Synchronization
import Testing

extension ScopeValues {
    fileprivate static var x: ScopeValue<Int> { .value(0) }
    fileprivate static var y: ScopeValue<Int> { .value(0) }
    fileprivate static var z: ScopeValue<Int> { .value(0) }
    fileprivate static var base: ScopeValue<String> { .required() }
    fileprivate static var middle: ScopeValue<String> { .required() }
    fileprivate static var top: ScopeValue<String> { .required() }
}

@Suite("R5: each builder is counted, and runs once for each scope that keeps its value", .programRoots)
struct CountedRunTests {
    /// The rounds of threads; each makes scopes and values of its own.
    private static var rounds: Int {
        #if DEBUG
            200
        #else
            10_000
        #endif
    }

    @Test("A build that was announced by an older hint is found") func olderHint() async {
        let app = EnvironmentScope.empty("app", parent: nil)
        let runs = Box<[String: Int]>([:])
        let gates = Box<[Int: (started: Gate, mayGoOn: Gate)]>([1: (Gate(), Gate()), 0: (Gate(), Gate())])
        app.provide(\.base) { reader in
            let x = try reader.x
            // The first run for each of the two scopes is held here.
            let gate = gates.update { $0.removeValue(forKey: x) }
            gate?.started.open()
            gate?.mayGoOn.wait()
            let text = "x \(x), y \(try reader.y)"
            runs.update { $0[text, default: 0] += 1 }
            return text
        }
        let first = EnvironmentScope("first", parent: app) { $0.x = 1 }
        let second = EnvironmentScope("second", parent: app) { $0.y = 1 }
        let (firstGate, secondGate) = (gates.value[1], gates.value[0])
        let one = onThread { _ = first.base }
        await firstGate?.started.passed()
        let two = onThread { _ = second.base }
        await secondGate?.started.passed()
        firstGate?.mayGoOn.open()
        await one.passed()
        // The hint says now that y matters. The build for `second` began before that was known.
        let asked = Gate()
        let three = onThread {
            asked.open()
            _ = second.base
        }
        await asked.passed()
        secondGate?.mayGoOn.open()
        await two.passed()
        await three.passed()
        #expect(runs.value == ["x 1, y 0": 1, "x 0, y 1": 1])
    }

    @Test("Random threads in random scopes that override random inputs run no builder too often")
    func randomThreads() async {
        var random = Seeded(UInt64(Self.rounds))
        for round in 0..<Self.rounds { await run(round, &random) }
    }

    private func run(_ round: Int, _ random: inout Seeded) async {
        let runs = Box<[String: Int]>([:])
        let app = EnvironmentScope.empty("app", parent: nil)
        let yields = random.below(4)
        // The texts name all inputs, and each override has a number of its own. So a text stands for one keeper.
        func provide(_ value: ValueName<String>, _ read: @escaping @Sendable (ScopeReader) throws -> String) {
            app.provide(value) { reader in
                let text = try read(reader)
                runs.update { $0[text, default: 0] += 1 }
                for _ in 0..<yields { sched_yield() }
                return text
            }
        }
        let isTurned = random.chance(50)
        provide(\.base) { "base \(try $0.x)" }
        provide(\.middle) { isTurned ? "middle \(try $0.base) \(try $0.y)" : "middle \(try $0.y) \(try $0.base)" }
        provide(\.top) {
            isTurned ? "top \(try $0.z) \(try $0.middle)" : "top \(try $0.middle) \(try $0.z) \(try $0.base)"
        }
        var scopes = [app]
        for index in 1...(3 + random.below(4)) {
            let parent = scopes[random.below(scopes.count)]
            let overrides = (random.chance(40), random.chance(40), random.chance(40))
            scopes.append(
                EnvironmentScope("scope \(index)", parent: parent) {
                    if overrides.0 { $0.x = index }
                    if overrides.1 { $0.y = index }
                    if overrides.2 { $0.z = index }
                }
            )
        }
        let plans = (0..<(2 + random.below(4))).map { _ in
            (0..<3).map { _ in (scope: scopes[random.below(scopes.count)], value: random.below(3)) }
        }
        let all = scopes
        await onThreads(plans.count) { index in
            for plan in plans[index] {
                switch plan.value {
                case 0: _ = plan.scope.base
                case 1: _ = plan.scope.middle
                default: _ = plan.scope.top
                }
            }
        }
        withExtendedLifetime(all) {}
        let tooMany = runs.value.filter { $0.value > 1 }
        if !tooMany.isEmpty { Issue.record("round \(round): \(tooMany)") }
    }
}
