import ScopedInjection
import Synchronization
import Testing

#if DEBUG
    private let rounds = 40
#else
    private let rounds = 400
#endif

@Suite("R5, R6: every read ends in a value or an error, whichever builds wait for each other")
struct DeadlockTests {
    @Test("Random builders, many of them in cycles, read on many threads in any order", .timeLimit(.minutes(30)))
    func randomBuilders() async {
        for seed in 0..<UInt64(rounds) {
            var random = Seeded(seed)
            let keys = (0..<Program.keyCount).map { _ in
                // All keys lie above -1, so a key may read any other one.
                Program.Key(recipe: Recipe(random: &random, above: random.once(in: 2) ? -1 : 3))
            }
            var model = Model(keys: keys)
            _ = model.apply(.make(1, .none, nil))
            let expected = keys.indices.map { [model] key in model.read(key, in: 1) }
            let bench = Workbench(keys: keys)
            do {
                let scope = EnvironmentScope.empty(parent: nil)
                // The closures of the threads may outlive the bodies, so they hold only the box.
                let box = Box<[EnvironmentScope]>([scope, .empty(parent: scope)])
                await onThreads(4) { thread in
                    let scopes = box.value
                    var random = Seeded(seed &+ UInt64(thread) &* 7919)
                    Workbench.$current.withValue(bench) {
                        for key in keys.indices.shuffled(using: &random) {
                            let found = Result { () throws(ScopeError) in
                                try scopes[thread % 2].node(key)
                            }
                            switch (expected[key], found) {
                            case (.success(let reading)?, .success(let node)) where reading.value == node.value: break
                            case (.failure(let failure)?, .failure(let error)) where failure.code == error.code: break
                            default:
                                Issue.record(
                                    "seed \(seed), key \(key): \(found) instead of \(String(describing: expected[key]))"
                                )
                            }
                        }
                    }
                }
                box.value = []
            }
            #expect(bench.nodes.load(ordering: .relaxed) == 0)
        }
    }

    @Test("Builders that wait for threads which read what needs them", .timeLimit(.minutes(30)))
    func blockingBuilders() async {
        enum Left: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) throws -> Int {
                try elsewhere { try scope.value(for: Right.self) }
            }
        }
        enum Right: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) throws -> Int {
                try elsewhere { try scope.value(for: Left.self) }
            }
        }
        for _ in 0..<rounds / 4 {
            let scope = EnvironmentScope.empty(parent: nil)
            await onThreads(2) { index in
                do throws(ScopeError) {
                    _ = index == 0 ? try scope.value(for: Left.self) : try scope.value(for: Right.self)
                    Issue.record("a value that needs itself")
                } catch {
                    if error.code != .cycle { Issue.record("\(error)") }
                }
            }
        }
    }

    @Test("Deinits that set values in each other's scopes", .timeLimit(.minutes(30)))
    func deinits() async {
        final class Farewell: Sendable {
            let scope: EnvironmentScope
            init(_ scope: EnvironmentScope) { self.scope = scope }
            deinit { scope.port = scope.port + 1 }
        }
        let scopes = [EnvironmentScope.empty(parent: nil), EnvironmentScope.empty(parent: nil)]
        let counters = [EnvironmentScope.empty(parent: scopes[0]), EnvironmentScope.empty(parent: scopes[1])]
        await onThreads(4) { index in
            for _ in 0..<rounds {
                scopes[index % 2].anything = Farewell(counters[(index + 1) % 2])
                if index > 1 { scopes[index % 2].removeAll() }
            }
        }
        for scope in scopes { scope.anything = nil }
        for counter in counters { #expect(counter.port > 8080) }
    }

    @Test("Cleanups that set values, build values and close each other", .timeLimit(.minutes(30)))
    func cleanups() async {
        for _ in 0..<rounds / 4 {
            let scopes = (0..<4).map { _ in EnvironmentScope.empty(parent: nil) }
            let count = Box(0)
            for (index, scope) in scopes.enumerated() {
                let next = scopes[(index + 1) % scopes.count]
                scope.onClose { [unowned scope, unowned next] in
                    scope.port = next.port
                    await next.close()
                    next.host = "set after closing"
                    count.update { $0 += 1 }
                }
            }
            await withTaskGroup(of: Void.self) { group in
                for scope in scopes { group.addTask { await scope.close() } }
            }
            #expect(count.value == scopes.count)
            #expect(scopes.map(\.isClosed) == [true, true, true, true])
        }
    }
}
