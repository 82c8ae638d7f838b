import ScopedInjection
import Testing

// A module whose default isolation is the main actor: what follows is written as in any other, but for `nonisolated`.

nonisolated private struct User: Sendable { var name: String }

nonisolated extension ScopeValues {
    fileprivate static var port: ScopeValue<Int> { .value(8080, isSafeInTests: true) }
    fileprivate static var doubled: ScopeValue<Int> { .lazy { try $0.port * 2 } }
    fileprivate static var guest: ScopeValue<User?> { .optional() }
    fileprivate static var secret: ScopeValue<String> { .required() }
    fileprivate static func limit(_ name: String) -> ScopeValue<Int> { .value(100, id: name) }
}

private struct Handler {
    @Injected(\.port) var port
    @Injected(\.doubled) var doubled
    @Injected(\.guest?.name) var guestName
    @Injected({ $0.limit("notes") }) var limit
    @Injected({ $0.port + $0[ScopeValues.limit("notes")] }) var sum
    let secret = Injected(\.secret)
}

@Suite("Modules whose default isolation is the main actor")
struct MainActorTests {
    private let app = EnvironmentScope("app", parent: nil) { $0.port = 1 }

    @Test("Values are declared, read, set and named as anywhere else")
    func values() throws {
        MainActor.assertIsolated()
        app.guest = User(name: "Ada")
        app.provide(\.secret) { "secret \(try $0.doubled)" }
        app[ScopeValues.limit("notes")] = 10
        try app.validate(\.secret, \.doubled)
        #expect(app.explain(\.doubled).keptIn == "app")
        app {
            let handler = Handler()
            #expect(handler.port == 1)
            #expect(handler.doubled == 2)
            #expect(handler.guestName == "Ada")
            #expect(handler.limit == 10)
            #expect(handler.sum == 11)
            #expect(handler.secret() == "secret 2")
        }
        app.with(\.port, 5).removeValue(for: \.guest)
        #expect(app.doubled == 10)
    }

    @Test("References are bound to a scope")
    func references() {
        let handler = Handler()
        #expect(app.replace(in: handler) == 6)
        #expect(handler.port == 1)
        handler.$port.scope = nil
        #expect(handler.port == EnvironmentScope.current.port)
    }

    @Test("Scopes are configured, entered and closed on the main actor")
    func entering() async throws {
        let log = Log()
        await app.withChild("window") { window in
            MainActor.assertIsolated()
            window.port = 2
            window.onClose { await log.add("closed") }
        } operation: {
            MainActor.assertIsolated()
            await Task.yield()
            MainActor.assertIsolated()
            #expect(Handler().port == 2)
            log.add("read")
        }
        #expect(log.lines == ["read", "closed"])
        let made = try await EnvironmentScope("made", parent: app) { $0.port = try await Self.connect() }
        #expect(made.doubled == 6)
    }

    private static func connect() async throws -> Int { 3 }

    @Test("What leaves the main actor reads in the same scope")
    func elsewhere() async {
        let app = app
        #expect(await app { await Self.portElsewhere() } == 1)
        #expect(await Task.detached(operation: app.bind { EnvironmentScope.current.port }).value == 1)
    }

    @concurrent
    private static func portElsewhere() async -> Int { EnvironmentScope.current.port }

    @Test("A deferred value is made off the main actor, and awaited on it")
    func deferred() async throws {
        let deferred = Deferred { await Self.portElsewhere() }
        #expect(try await deferred() == EnvironmentScope.global.port)
        MainActor.assertIsolated()
    }
}

/// What happened, in order.
final class Log {
    private(set) var lines: [String] = []
    func add(_ line: String) { lines.append(line) }
}
