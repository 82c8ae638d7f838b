import ScopedInjection
import Testing

private final class Connection: Sendable {
    let path: String
    let madeIn: String?
    let isOpen = Box(true)

    init(_ path: String) {
        self.path = path
        madeIn = EnvironmentScope.current.visitor
    }
}

extension ScopeValues {
    fileprivate static let path = ScopeValue("notes.db")
    fileprivate static let visitor = ScopeValue<String?>()
    fileprivate static let log = ScopeValue(Log())

    /// Reads its inputs before, and runs in no scope.
    fileprivate static let connection = ScopeValue<Deferred<Connection>>(name: "connection") { scope in
        let path = scope.path
        return Deferred { Connection(path) }
    }

    /// Runs in the scope that keeps it.
    fileprivate static let bound = ScopeValue<Deferred<Connection>> { scope in
        Deferred(scope.bind { () async throws in Connection(EnvironmentScope.current.path) })
    }
    fileprivate static let entered = ScopeValue<Deferred<Connection>> { scope in
        Deferred { try await scope { () async throws in Connection(EnvironmentScope.current.path) } }
    }

    /// Is closed with the scope that keeps it.
    fileprivate static let closing = ScopeValue<Deferred<Connection>> { scope in
        let (path, log) = (scope.path, scope.log)
        return Deferred {
            let connection = Connection(path)
            await scope.mayConnect?.pass()
            scope.onClose {
                connection.isOpen.value = false
                log.add("closed \(path)")
                scope.isClosing?.open()
            }
            return connection
        }
    }

    fileprivate static let mayConnect = ScopeValue<Barrier?>()
    fileprivate static let isClosing = ScopeValue<Barrier?>()

    fileprivate static let constant = ScopeValue(Deferred { EnvironmentScope.current.visitor })
}

@Suite("Deferred values in scopes")
struct DeferredScopeTests {
    private let app = EnvironmentScope("app", parent: nil) { $0.path = "app.db" }

    private func request(_ visitor: String) -> EnvironmentScope {
        EnvironmentScope("request", parent: app) { $0.visitor = visitor }
    }

    @Test("Requests that see the same inputs share one; an override has its own")
    func sharing() async throws {
        let (first, second, third) = (request("Ada"), request("Bob"), request("Eve"))
        third.path = "third.db"
        let connection = try await first.connection()
        #expect(try await second.connection() === connection)
        #expect(try await app.connection() === connection)
        #expect(connection.path == "app.db")
        #expect(try await third.connection().path == "third.db")
        #expect(third.connection.valueIfReady !== connection)
    }

    @Test("A run sees nothing of the request that awaited it first", arguments: [false, true])
    func requests(isEntered: Bool) async throws {
        let request = request("Ada")
        let connections =
            isEntered
            ? try await request { [try await request.connection(), try await request.entered()] }
            : [try await request.connection(), try await request.entered()]
        #expect(connections.map(\.madeIn) == [nil, nil])
        #expect(connections.map(\.path) == ["app.db", "app.db"])
        #expect(app.explain(\.entered).keptIn == "app")
    }

    @Test("A run that enters the builder's scope, or is bound to it, reads in the scope that keeps the value")
    func entered() async throws {
        app.visitor = "the application"
        let request = request("Ada")
        let connections = try await request { [try await request.bound(), try await request.entered()] }
        #expect(connections.map(\.madeIn) == ["the application", "the application"])
        #expect(request.explain(\.bound).keptIn == "app")
        #expect(request.explain(\.entered).keptIn == "app")
    }

    @Test("The run of a constant does not run in the request that awaits it first")
    func constants() async throws {
        let request = request("Ada")
        #expect(try await request { try await request.constant() } == nil)
    }

    @Test("It is explained, drawn, validated, set, provided and removed like any value")
    func ordinary() async throws {
        try app.validate(\.connection)
        let explanation = app.explain(\.connection)
        #expect(explanation.valueType == "Deferred<Connection>")
        #expect(explanation.keptIn == "app")
        #expect(explanation.inputs.map(\.valueType) == ["String"])
        #expect(app.graph.mermaid.contains("connection"))

        let test = EnvironmentScope("test", parent: app) { $0.connection = Deferred { Connection("memory") } }
        #expect(try await test.connection().path == "memory")
        test.removeValue(for: \.connection)
        #expect(try await test.connection().path == "app.db")
        test.provide(\.connection) { scope in
            let inherited = try scope.inherited(\.connection)
            return Deferred { Connection("like \(try await inherited().path)") }
        }
        #expect(try await test.connection().path == "like app.db")
    }

    @Test("A change of an input makes another one, and the old one still serves those that hold it")
    func rebuilding() async throws {
        let old = app.connection
        app.path = "new.db"
        #expect(try await app.connection().path == "new.db")
        #expect(try await old().path == "app.db")
    }

    // MARK: Closing and releasing

    @Test("A result is closed with the scope that keeps the value, and closing makes none")
    func closing() async throws {
        let log = Log()
        app.log = log
        let request = request("Ada")
        let connection = try await request.closing()
        await request.close()
        #expect(connection.isOpen.value)
        await app.close()
        #expect(!connection.isOpen.value)
        #expect(log.lines == ["closed app.db"])

        let other = EnvironmentScope("other", parent: nil) { $0.log = log }
        _ = other.closing
        await other.close()
        #expect(log.lines == ["closed app.db"])
    }

    @Test("A result that is made after the scope was closed is closed at once")
    func closedMeanwhile() async throws {
        let (mayConnect, isClosing) = (Barrier(), Barrier())
        app.mayConnect = mayConnect
        app.isClosing = isClosing
        let closing = app.closing
        let task = Task { try await closing() }
        await app.close()
        mayConnect.open()
        let connection = try await task.value
        await isClosing.pass()
        #expect(!connection.isOpen.value)
    }

    @Test("A run that has entered the builder's scope keeps it, and goes on when the request is cancelled and gone")
    func goneRequest() async throws {
        let (isInside, mayGoOn, isOver) = (Barrier(), Barrier(), Barrier())
        let (path, inner) = (Box(""), Box(""))
        app.provide(\.connection) { scope in
            _ = scope.path
            return Deferred {
                await scope { () async in
                    isInside.open()
                    await mayGoOn.pass()
                    path.value = EnvironmentScope.current.path
                    inner.value = await Task { EnvironmentScope.current.path }.value
                }
                isOver.open()
                return Connection("opened")
            }
        }
        let held = Box(Weak(scope: nil))
        let request = Task { [app] in
            try await app.withChild("request") {
                held.value = Weak(scope: $0)
                $0.path = "request.db"
            } operation: {
                _ = try await EnvironmentScope.current.connection()
            }
        }
        await isInside.pass()
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }
        #expect(held.value.scope != nil)
        mayGoOn.open()
        await isOver.pass()
        #expect([path.value, inner.value] == ["request.db", "request.db"])
        for _ in 0..<1_000_000 where held.value.scope != nil { await Task.yield() }
        #expect(held.value.scope == nil)
    }

    private struct Weak: Sendable { weak let scope: EnvironmentScope? }

    @Test("It keeps no scope alive, made or not", arguments: [false, true])
    func ownership(isMade: Bool) async throws {
        let watch = LifetimeWatch()
        do {
            let scope = watch.add(EnvironmentScope("scope", parent: nil) { $0.path = "scope.db" })
            watch.add(scope.bound)
            watch.add(scope.entered)
            watch.add(scope.closing)
            if isMade {
                _ = try await scope.bound()
                _ = try await scope.entered()
                _ = try await scope.closing()
            }
        }
        #expect(watch.alive == 0)
    }
}
