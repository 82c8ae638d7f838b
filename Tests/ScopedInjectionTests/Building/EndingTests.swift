import ScopedInjection
import Testing

extension ScopeValues {
    /// A family of values whose builders read others of it, as the plan says.
    fileprivate static func node(_ number: Int) -> ScopeValue<Int> {
        .lazy(id: number) { reader in try reader.plan.build(number, reader) }
    }
    fileprivate static var plan: ScopeValue<Plan> { .required() }
}

/// What each of a few values is built from, drawn by lot.
private struct Plan: Sendable {
    static let count = 6
    private var inputs: [[(node: Int, isCaught: Bool)]] = []

    init(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func next(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
        for _ in 0..<Self.count { inputs.append((0..<next(3)).map { _ in (next(Self.count), next(3) == 0) }) }
    }

    func build(_ number: Int, _ reader: ScopeReader) throws -> Int {
        var sum = number
        for input in inputs[number] {
            let value = ScopeValues.node(input.node)
            sum += input.isCaught ? (try? reader[value]) ?? 100 : try reader[value]
        }
        return sum
    }
}

#if DEBUG
    private let rounds = 40
#else
    private let rounds = 400
#endif

@Suite("R5, R6: every read ends in the same value or error, whichever builds wait for each other", .programRoots)
struct EndingTests {
    @Test("Random builders, many of them in cycles, read on many threads in any order", .timeLimit(.minutes(30)))
    func randomBuilders() async {
        for seed in 0..<UInt64(rounds) {
            let plan = Plan(seed: seed)
            let alone = (0..<Plan.count).map { number in
                Self.outcome(number, in: EnvironmentScope("alone", parent: nil) { $0.plan = plan })
            }
            let app = EnvironmentScope("app", parent: nil) { $0.plan = plan }
            let scopes = [app, EnvironmentScope.empty("request", parent: app)]
            await onThreads(4) { thread in
                for step in 0..<Plan.count {
                    let number = (step * 5 + thread * 2 + Int(seed)) % Plan.count
                    let found = Self.outcome(number, in: scopes[thread % 2])
                    if found != alone[number] {
                        Issue.record("seed \(seed), value \(number): \(found) instead of \(alone[number])")
                    }
                }
            }
        }
    }

    private static func outcome(_ number: Int, in scope: EnvironmentScope) -> String {
        do throws(ScopeError) { return "\(try scope.value(for: { $0.node(number) }))" } catch {
            return "\(error.code)"
        }
    }

    @Test("Deinits that set values in each other's scopes", .timeLimit(.minutes(30))) func deinits() async {
        let scopes = [EnvironmentScope.empty(parent: nil), EnvironmentScope.empty(parent: nil)]
        let counters = [EnvironmentScope.empty(parent: scopes[0]), EnvironmentScope.empty(parent: scopes[1])]
        await onThreads(4) { index in
            for _ in 0..<rounds {
                scopes[index % 2].anything = Farewell { counters[(index + 1) % 2].port += 1 }
                if index > 1 { scopes[index % 2].removeValue(for: \.anything) }
            }
        }
        for scope in scopes { scope.anything = nil }
        for counter in counters { #expect(counter.port > 8080) }
    }

    @Test("Scopes that come and go on many threads while their application changes") func scopesComeAndGo() async {
        let app = EnvironmentScope("app", parent: nil) { $0.port = 1 }
        app.provide(\.main) { try $0.port + $0.replica }
        await onThreads(4) { index in
            for number in 0..<rounds * 10 {
                let request = EnvironmentScope("request", parent: app) { $0.replica = number }
                let leaf = EnvironmentScope.empty("leaf", parent: request)
                let found = givenDespiteChanges {
                    try request { [try Injected(\.main).value(), try leaf.value(for: \.main)] }
                }
                if let found, found != [number + 1, number + 1] { Issue.record("\(found) instead of \(number + 1)") }
                if index == 0, number % 50 == 0 { app.port = 1 }
            }
        }
    }
}
