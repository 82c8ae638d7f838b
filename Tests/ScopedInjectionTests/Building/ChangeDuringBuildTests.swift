import ScopedInjection
import Synchronization
import Testing

private struct Broken: Error {}

extension ScopeValues {
    fileprivate static var wanted: ScopeValue<String> { .required() }
    fileprivate static var needing: ScopeValue<String> { .lazy { "built from \(try $0.wanted)" } }
    fileprivate static var other: ScopeValue<String> { .value("other") }
    fileprivate static var first: ScopeValue<Int> { .value(0) }
    fileprivate static var second: ScopeValue<Int> { .value(0) }
    fileprivate static var pair: ScopeValue<[Int]> { .lazy { [try $0.first, try $0.second] } }
    fileprivate static var ofFirst: ScopeValue<Product> { .lazy { Product("\(try $0.first)") } }
    fileprivate static var difference: ScopeValue<String> {
        .lazy { reader in
            let first = try reader.first
            return try "\(first)" == reader.ofFirst.text ? "same" : "mixed"
        }
    }
}

@Suite("R5: what is set during a build wins, and no read mixes two moments", .programRoots)
struct ChangeDuringBuildTests {
    private let probe = Probe()
    private let app: EnvironmentScope

    init() { app = probe.makeApp() }

    /// What a read gives whose first build is overtaken by a change.
    private func read<Value: Sendable>(
        _ value: @escaping @Sendable (ScopeValues.Type) -> ScopeValue<Value>,
        in scope: EnvironmentScope,
        while change: () async -> Void
    ) async -> Result<Value, ScopeError>? {
        let result = Box<Result<Value, ScopeError>?>(nil)
        let slow = onThread { result.value = Result { () throws(ScopeError) in try scope.value(for: value) } }
        let probe = probe
        await probe.started.passed()
        await change()
        probe.mayEnd.open()
        await slow.passed()
        return result.value
    }

    // MARK: The value itself

    /// What gives a scope another value.
    enum Override: CaseIterable {
        case set, provided

        func apply(to scope: EnvironmentScope) {
            switch self {
            case .set: scope.wanted = "set"
            case .provided: scope.provide(\.wanted) { _ in "set" }
            }
        }
    }

    @Test("What is given otherwise while its builder returns or throws", arguments: Override.allCases, [false, true])
    func overridden(_ override: Override, isThrowing: Bool) async throws {
        let request = EnvironmentScope("request", parent: app) { $0.other = "set" }
        app.provide(\.wanted) { [probe] _ in
            probe.noteBuild()
            if isThrowing { throw Broken() }
            return "built"
        }
        let result = await read(\.wanted, in: request) { override.apply(to: request) }
        #expect(try result?.get() == "set")
        #expect(request.needing == "built from set")
    }

    @Test("A value that needs one which is given otherwise meanwhile is built from what was given")
    func needing() async throws {
        app.provide(\.wanted) { [probe] _ in
            probe.noteBuild()
            return "built"
        }
        let result = await read(\.needing, in: app) { app.wanted = "set" }
        #expect(try result?.get() == "built from set")
        #expect(app.needing == "built from set")
    }

    @Test("A builder that sets its own value is run once, and what it set is the value") func builderThatSets() {
        let runs = Box(0)
        app.provide(\.wanted) { [unowned app] _ in
            runs.update { $0 += 1 }
            app.wanted = "set"
            return "built"
        }
        #expect(app.wanted == "set")
        #expect(runs.value == 1)
    }

    @Test("Who waits for a build is given what is set meanwhile, at the latest when it ends", arguments: [false, true])
    func whoWaits(isSameScope: Bool) async throws {
        let request = isSameScope ? app : EnvironmentScope.empty("request", parent: app)
        let (asked, answer) = (Gate(), Box<String?>(nil))
        app.provide(\.wanted) { [probe] _ in
            probe.noteBuild()
            throw Broken()
        }
        let waiting = Box<Gate?>(nil)
        let result = await read(\.wanted, in: app) {
            waiting.value = onThread {
                asked.open()
                answer.value = try? request.value(for: \.wanted)
            }
            await asked.passed()
            app.wanted = "set"
        }
        await waiting.value?.passed()
        #expect(try result?.get() == "set")
        #expect(answer.value == "set")
    }

    // MARK: Its inputs

    @Test("An input that is replaced makes the builder run again", arguments: [true, false])
    func inputReplaced(isFailingBefore: Bool) async throws {
        app.provide(\.wanted) { [probe] reader in
            let first = try reader.first
            probe.noteBuild()
            if isFailingBefore, first == 0 { throw Broken() }
            return "\(first)"
        }
        let result = await read(\.wanted, in: app) { app.first = 2 }
        #expect(try result?.get() == "2")
        #expect(app.localValue(for: \.wanted) == "2")
        #expect(probe.builds.load(ordering: .relaxed) == 2)
    }

    @Test("A scope that is closed meanwhile keeps no value with a cleanup", arguments: [true, false])
    func closed(isReadFromChild: Bool) async throws {
        let watch = LifetimeWatch()
        let child = EnvironmentScope.empty("child", parent: app)
        let made = Box<BoundService?>(watch.add(BoundService()))
        app.provide(\.service) { [probe] reader in
            reader.onClose {}
            probe.noteBuild()
            return made.update { $0.take() } ?? BoundService()
        }
        do {
            let result = await read(\.service, in: isReadFromChild ? child : app) { await app.close() }
            let error = #expect(throws: ScopeError.self) { try result?.get() }
            #expect(error?.code == .closed)
        }
        #expect(app.localValue(for: \.service) == nil)
        #expect(watch.alive == 0)
    }

    // MARK: Again and again

    @Test("What is built from two inputs never mixes an old one with a new one") func consistentInputs() async {
        let app = app
        // The writer sets the second first, so the first is never ahead.
        await onThreads(3) { index in
            for round in 1...1000 {
                if index == 0 {
                    app.second = round
                    app.first = round
                } else if let pair = givenDespiteChanges({ try app.value(for: \.pair) }) {
                    if !(pair[0] <= pair[1] && pair[1] <= pair[0] + 1) { Issue.record("mixed: \(pair)") }
                }
            }
        }
        #expect(app.pair == [1000, 1000])
    }

    @Test("A builder that reads one value is never refused, however often that is set") func oneInput() async {
        let app = app
        app.provide(\.other) { "\(try $0.first)" }
        await onThreads(3) { index in
            for round in 1...2000 {
                if index == 0 { app.first = round } else if Int(app.other) == nil { Issue.record("no number") }
            }
        }
        #expect(app.other == "2000")
    }

    @Test("A value and another one that is built from it never mix two moments") func consistentValues() async {
        let app = app
        let request = EnvironmentScope.empty("request", parent: app)
        request.provide(\.other) { try $0.difference }
        await onThreads(3) { index in
            for round in 1...1000 {
                if index == 0 {
                    app.first = round
                } else if let other = givenDespiteChanges({ try request.value(for: \.other) }), other != "same" {
                    Issue.record("mixed")
                }
            }
        }
        #expect(request.other == "same")
    }
}
