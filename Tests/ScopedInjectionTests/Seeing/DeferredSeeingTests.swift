import ScopedInjection
import Testing

extension ScopeEvent {
    fileprivate var isOfRun: Bool {
        "\(self)".hasPrefix("made ") || "\(self)".hasPrefix("could not make ") || "\(self)".hasSuffix(" to be made")
    }
}

private struct Refused: Error, CustomStringConvertible { var description: String { "refused\nby the server" } }

/// What a run waits for, and whether it fails.
private final class Plan: Sendable {
    let begun = Barrier()
    let mayEnd = Barrier()
    let fails = Box(false)

    func run() async throws -> Int {
        begun.open()
        await mayEnd.pass()
        if fails.value { throw Refused() }
        return 5
    }
}

extension ScopeValues {
    fileprivate static var plan: ScopeValue<Plan> { .lazy { _ in Plan() } }
    fileprivate static var cache: ScopeValue<Deferred<Int>> {
        .lazy {
            let plan = try $0.plan
            return Deferred { try await plan.run() }
        }
    }
}

@Suite("R10: observers see the runs of deferred values", .programRoots, .timeLimit(.minutes(10)))
struct DeferredEventTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let all: Box<[ScopeEvent]>

    init() { all = app.events() }

    private var events: [ScopeEvent] { all.value.filter(\.isOfRun) }

    /// The events of runs, without numbers.
    private var texts: [String] { events.map { "\($0)".replacing(/\d+ (ns|µs|ms|s)/, with: "1 s") } }

    @Test("A run that has made the value is built, after the deferred value itself") func built() async throws {
        var kinds: [ScopeEvent.Kind] { all.value.filter { $0.name == "cache" }.map(\.kind) }
        app.plan.mayEnd.open()
        let cache = app.cache
        #expect(kinds == [.built] && events.isEmpty)
        _ = try await cache()
        _ = try await cache()
        #expect(kinds == [.built, .built])
        #expect(texts == ["made cache (Deferred<Int>) in \"app\" in 1 s"])
        #expect(events[0].duration > .zero && events[0].error == nil)
    }

    @Test("A run that throws has failed, with the error of those who await it, each time") func failed() async throws {
        app.plan.mayEnd.open()
        app.plan.fails.value = true
        for _ in 0..<2 { await #expect(throws: ScopeError.self) { try await app.cache() } }
        #expect(texts == Array(repeating: "could not make cache (Deferred<Int>) in \"app\" in 1 s", count: 2))
        #expect(events.allSatisfy { $0.kind == .failed && ($0.error as? ScopeError)?.underlyingError is Refused })
    }

    @Test("A task has waited that awaits a run which another one has begun, and not that one")
    @MainActor
    func waited() async throws {
        let (cache, plan, asked) = (app.cache, app.plan, Box(0))
        let first = Task.detached { try await cache() }
        await plan.begun.pass()
        // Nothing else runs on the main actor between the call and the wait.
        let second = Task { @MainActor in
            asked.value = 1
            return try await cache()
        }
        while asked.value == 0 { await Task.yield() }
        plan.mayEnd.open()
        #expect(try await [first.value, second.value] == [5, 5])
        #expect(events.map(\.kind) == [.built, .waited])
        #expect(texts.last == "waited 1 s in \"app\" for cache (Deferred<Int>) to be made")
    }

    @Test("The scope that keeps the value tells, whoever asks") func keeper() async throws {
        let request = EnvironmentScope("request", parent: app) { $0.port = 1 }
        request.observe { _ in Issue.record("the request keeps nothing") }
        app.plan.mayEnd.open()
        _ = app.cache
        _ = try await request.cache()
        #expect(events.map(\.scope) == ["app"])
        app.provide(\.cache) { reader in
            let port = try reader.port
            return Deferred { port }
        }
        let own = EnvironmentScope("own", parent: app) { $0.port = 2 }
        #expect(try await own.cache() == 2)
        #expect(events.map(\.scope) == ["app", "own"])
    }

    @Test("A run for a reload is told in the scope that is reloaded") func reload() async throws {
        app.provide(\.cache) { reader in
            let port = try reader.port
            return Deferred { if port == 1 { throw Refused() } else { port } }
        }
        _ = try await app.cache()
        await #expect(throws: ScopeError.self) { try await app.reload { $0.port = 1 } }
        try await app.reload { $0.port = 2 }
        #expect(app.cache.valueIfReady == 2)
        #expect(events.map(\.kind) == [.built, .failed, .built])
        #expect(events.allSatisfy { $0.scope == "app" })
    }

    @Test("Nobody is told of one that is not made in a builder, or whose scope is gone") func untold() async throws {
        app.cache = Deferred { 1 }
        _ = try await app.cache()
        let cache = try {
            let scope = EnvironmentScope.empty("scope", parent: app)
            scope.provide(\.cache) { _ in Deferred { 2 } }
            return try scope.value(for: \.cache)
        }()
        #expect(try await cache() == 2)
        #expect(events.isEmpty)
    }
}

@Suite("R10: explain and the graph say how far a deferred value is", .programRoots, .timeLimit(.minutes(10)))
struct DeferredExplainTests {
    private let app = EnvironmentScope.empty("app", parent: nil)

    private var line: Substring { "\(app.explain(\.cache))".prefix { !$0.isNewline } }

    @Test("Not made, being made, failed, and made") func making() async throws {
        let (cache, plan) = (app.cache, app.plan)
        #expect(line.hasSuffix(", built and kept in \"app\", not made yet"))
        let reading = Task { try await cache() }
        await plan.begun.pass()
        #expect(line.firstMatch(of: /, built and kept in "app", being made for \d+ (ns|µs|ms|s)$/) != nil)
        #expect("\(app.graph)".firstMatch(of: /cache in "app" \(built, being made for \d+ (ns|µs|ms|s)\)/) != nil)
        plan.fails.value = true
        plan.mayEnd.open()
        _ = await reading.result
        #expect(line.hasSuffix(", built and kept in \"app\", failed with refused"))
        #expect("\(app.graph)".contains(#"cache in "app" (built, failed with refused)"#))
        plan.fails.value = false
        _ = try await cache()
        #expect(line.hasSuffix(", built and kept in \"app\", made"))
    }

    @Test("What failed is being made, and not failed, during the next run") func again() async throws {
        let (runs, begun, mayEnd) = (Box(0), Barrier(), Barrier())
        app.provide(\.cache) { _ in
            Deferred {
                runs.update { $0 += 1 }
                if runs.value == 1 { throw Refused() }
                begun.open()
                await mayEnd.pass()
                return 1
            }
        }
        await #expect(throws: ScopeError.self) { try await app.cache() }
        let reading = Task { [app] in try await app.cache() }
        await begun.pass()
        #expect(line.contains(", being made for ") && !line.contains("failed"))
        mayEnd.open()
        _ = try await reading.value
    }

    @Test("One that is set too, and nothing of another value") func set() async throws {
        app.cache = Deferred { 1 }
        #expect(line == "cache (Deferred<Int>): set in \"app\", not made yet")
        _ = try await app.cache()
        #expect(line == "cache (Deferred<Int>): set in \"app\", made")
        app.removeValue(for: \.cache)
        #expect(line.hasSuffix("), not built yet"))
    }
}
