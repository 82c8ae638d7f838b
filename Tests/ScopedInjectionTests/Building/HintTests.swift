import Dispatch
import Foundation
import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let caller = ScopeValue("nobody")
    fileprivate static let depth = ScopeValue(0)
    fileprivate static let probe = ScopeValue<BuildProbe>.required()
    /// Meets the other builders, and then reads what requests override.
    fileprivate static let late = ScopeValue { scope in
        scope.probe.meet()
        return Product(scope.caller)
    }
    fileprivate static let first = ScopeValue(0)
    fileprivate static let ofFirst = ScopeValue { scope in
        scope.probe.meet()
        return Product("\(scope.first)")
    }
    fileprivate static let second = ScopeValue(0)
    fileprivate static let afterSecond = ScopeValue { scope in scope.second }
    fileprivate static let ofSecond = ScopeValue { scope in
        scope.probe.meet()
        return Product("\(scope.afterSecond)")
    }
    fileprivate static let ofLate = ScopeValue { scope in Product("of \(scope.late.text)") }
    fileprivate static let scoped = ScopeValue(.scoped) { scope in
        scope.probe.meet()
        return Product(scope.caller)
    }
    fileprivate static let mark = ScopeValue(.scoped) { _ in Product("mark") }
    fileprivate static let ofMark = ScopeValue { scope in
        scope.probe.meet()
        return Product(scope.mark.text)
    }
    fileprivate static let changing = ScopeValue { scope in
        scope.probe.meet()
        return Product(scope.depth > 0 ? scope.caller : "flat")
    }
}

/// Counts builds, and lets builders go on once enough of them have begun.
private final class BuildProbe: Sendable {
    private struct State: Sendable {
        var builds = 0
        var met = 0
        var expected = 1
        var isAlone = false
    }
    private let state = Box(State())
    private let all = DispatchSemaphore(value: 0)

    var builds: Int { state.value.builds }
    /// Whether a builder waited for the others in vain.
    var isAlone: Bool { state.value.isAlone }

    /// Makes the builders that begin from now on wait for each other.
    func expect(_ count: Int) {
        state.update { state in
            state.expected = count
            state.met = 0
        }
    }

    func meet() {
        let (isLast, expected) = state.update { state in
            state.builds += 1
            state.met += 1
            return (state.met == state.expected, state.expected)
        }
        if isLast {
            for _ in 1..<expected { all.signal() }
        } else if expected > 1, all.wait(timeout: .now() + hangLimit) == .timedOut {
            // The time runs out only if one builder holds back another.
            state.update { $0.isAlone = true }
        }
    }
}

@Suite("R5: the inputs of the last build decide which reads wait for a build")
struct HintTests {
    private let probe = BuildProbe()
    private let app: EnvironmentScope

    init() {
        let probe = probe
        app = EnvironmentScope("app", parent: nil) { $0.probe = probe }
    }

    private func read(
        _ value: any KeyPath<ScopeValues.Type, ScopeValue<Product>> & Sendable,
        in scopes: [EnvironmentScope]
    ) async -> [Product] {
        let results = Box<[Product?]>(scopes.map { _ in nil })
        await onThreads(scopes.count) { index in
            let result = scopes[index][value]
            results.update { $0[index] = result }
        }
        return results.value.compactMap { $0 }
    }

    private func requests(_ count: Int, overriding: Bool) -> [EnvironmentScope] {
        (0..<count).map { number in
            EnvironmentScope("request \(number)", parent: app) { if overriding { $0.caller = "\(number)" } }
        }
    }

    @Test("Requests that override an input do not wait for each other, however late it is read")
    func overriding() async {
        #expect(app.late.text == "nobody")
        probe.expect(4)
        #expect(await read(\.late, in: requests(4, overriding: true)).map(\.text) == ["0", "1", "2", "3"])
        #expect(!probe.isAlone)
        #expect(probe.builds == 5)
    }

    @Test("The same if the input was never overridden before", arguments: [0, 1])
    func overridingForTheFirstTime(remove: Int) async {
        let value: any KeyPath<ScopeValues.Type, ScopeValue<Product>> & Sendable = remove == 0 ? \.ofFirst : \.ofSecond
        #expect(app[value].text == "0")
        probe.expect(3)
        let scopes = (1...3).map { number in
            EnvironmentScope(parent: app) { if remove == 0 { $0.first = number } else { $0.second = number } }
        }
        #expect(await read(value, in: scopes).map(\.text) == ["1", "2", "3"])
        #expect(!probe.isAlone)
    }

    @Test("The same for an input of an input")
    func overridingInputOfInput() async {
        #expect(app.ofLate.text == "of nobody")
        probe.expect(3)
        #expect(await read(\.ofLate, in: requests(3, overriding: true)).map(\.text) == ["of 0", "of 1", "of 2"])
        #expect(!probe.isAlone)
    }

    @Test("The same for a provided builder, also if the value was built for a request first")
    func provided() async {
        app.provide(\.late) { scope in
            scope.probe.meet()
            return Product("provided " + scope.caller)
        }
        #expect(requests(1, overriding: true)[0].late.text == "provided 0")
        probe.expect(3)
        #expect(await read(\.late, in: requests(3, overriding: true)).map(\.text).sorted().last == "provided 2")
        #expect(!probe.isAlone)
    }

    @Test("Scoped values of several scopes do not wait for each other, the first time or later")
    func scoped() async {
        for round in 0..<2 {
            probe.expect(3)
            let values = await read(\.scoped, in: requests(3, overriding: round == 1))
            #expect(Set(values.map { ObjectIdentifier($0) }).count == 3)
        }
        #expect(!probe.isAlone)
        #expect(probe.builds == 6)
    }

    @Test("The same for values that are built from scoped ones, which no other scope sees")
    func builtFromScoped() async {
        #expect(app.ofMark.text == "mark")
        probe.expect(3)
        let values = await read(\.ofMark, in: requests(3, overriding: false))
        #expect(Set(values.map { ObjectIdentifier($0) }).count == 3)
        #expect(!probe.isAlone)
        #expect(probe.builds == 4)
    }

    @Test("Requests that override no input share one build", arguments: 0..<20)
    func sharing(round: Int) async {
        #expect(app.late.text == "nobody")
        app.caller = "somebody"
        let values = await read(\.late, in: requests(4, overriding: false))
        #expect(values.map(\.text) == Array(repeating: "somebody", count: 4))
        #expect(Set(values.map { ObjectIdentifier($0) }).count == 1)
        #expect(probe.builds == 2)
    }

    @Test("Requests that override an input build their own value, and the others share one", arguments: 0..<10)
    func mixed(round: Int) async {
        #expect(app.late.text == "nobody")
        app.caller = "somebody"
        // Two that override, and one for all the others.
        probe.expect(3)
        let values = await read(\.late, in: requests(2, overriding: true) + requests(3, overriding: false))
        #expect(values.map(\.text) == ["0", "1", "somebody", "somebody", "somebody"])
        #expect(!probe.isAlone)
        #expect(probe.builds == 4)
        #expect(values[2] === values[3] && values[3] === values[4])
    }

    @Test("A request that overrides something else builds no value of its own", arguments: 0..<10)
    func overridingAnother(round: Int) async {
        #expect(app.late.text == "nobody")
        app.caller = "somebody"
        let scopes = (0..<3).map { number in EnvironmentScope(parent: app) { $0.depth = number } }
        #expect(Set(await read(\.late, in: scopes).map { ObjectIdentifier($0) }).count == 1)
        #expect(probe.builds == 2)
    }

    @Test("The values are right even if a build reads other inputs than the last one did")
    func changing() async {
        #expect(app.changing.text == "flat")
        app.depth = 1
        for _ in 0..<2 {
            let values = await read(\.changing, in: requests(3, overriding: true))
            #expect(values.map(\.text) == ["0", "1", "2"])
        }
        #expect(app.changing.text == "nobody")
        // Each of the seven values once, and perhaps once more if a wait for a build was in vain.
        #expect((8...15).contains(probe.builds))
    }

    @Test("A read that waits goes on alone once the build reads an input that differs for it")
    func differingLater() {
        // A waiting thread cannot be seen from outside, so there are many rounds, and one of them shows it.
        for _ in 0..<100 { guard Self.requestGoesOn() else { return } }
    }

    /// Whether a request gets its own value while the build of its application, which it may have waited for, goes on.
    private static func requestGoesOn() -> Bool {
        let (started, asked, answered) = (Gate(), Gate(), DispatchSemaphore(value: 0))
        let isAlone = Box(false)
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provide(\.late) { scope in
            started.open()
            asked.wait()
            for _ in 0..<10 { sched_yield() }
            let caller = scope.caller
            if caller == "nobody" { isAlone.value = answered.wait(timeout: .now() + hangLimit) == .timedOut }
            return Product(caller)
        }
        let slow = onThread { #expect(app.late.text == "nobody") }
        started.wait()
        let request = EnvironmentScope("request", parent: app) { $0.caller = "request" }
        let quick = onThread {
            asked.open()
            #expect(request.late.text == "request")
            answered.signal()
        }
        slow.wait()
        quick.wait()
        #expect(!isAlone.value)
        return !isAlone.value
    }

    @Test("Builds that read less than the last one, and so belong further out, keep one value there", arguments: 0..<20)
    func readingLess(round: Int) async {
        app.provide(\.changing) { scope in
            scope.probe.meet()
            return Product(scope.depth > 0 ? scope.caller : "flat")
        }
        app.depth = 1
        #expect(app.changing.text == "nobody")
        app.depth = 0
        probe.expect(3)
        // Reads where the value will be, and never builds.
        let reader = onThread { [app] in while app.localValue(for: \.changing) == nil { sched_yield() } }
        let values = await read(\.changing, in: requests(3, overriding: true))
        #expect(values.map(\.text) == ["flat", "flat", "flat"])
        #expect(values.allSatisfy { $0 === app.changing })
        await Task.detached { reader.wait() }.value
        #expect(!probe.isAlone)
        #expect(probe.builds == 4)
    }

    @Test("A removed override makes the next read share again")
    func removedOverride() {
        #expect(app.late.text == "nobody")
        let request = requests(1, overriding: true)[0]
        #expect(request.late.text == "0")
        request.removeValue(for: \.caller)
        #expect(request.late === app.late)
        #expect(probe.builds == 2)
    }
}
