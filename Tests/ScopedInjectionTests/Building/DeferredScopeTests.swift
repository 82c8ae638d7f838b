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
    fileprivate static var path: ScopeValue<String> { .value("notes.db") }
    fileprivate static var visitor: ScopeValue<String?> { .optional() }

    fileprivate static var connection: ScopeValue<Deferred<Connection>> {
        .lazy { reader in
            let path = try reader.path
            return Deferred { Connection(path) }
        }
    }

    /// Is closed with the scope that keeps it, if it was made.
    fileprivate static var closing: ScopeValue<Deferred<Connection>> {
        .lazy { reader in
            let (path, log) = (try reader.path, try reader.log)
            let connection = Deferred { Connection(path) }
            reader.onClose {
                guard let made = connection.valueIfReady else { return }
                made.isOpen.value = false
                log.add("closed \(path)")
            }
            return connection
        }
    }
    fileprivate static var constant: ScopeValue<Deferred<String?>> {
        .value(Deferred { EnvironmentScope.current.visitor })
    }
}

@Suite("Deferred: in a scope it is a value like any other", .programRoots)
struct DeferredScopeTests {
    private let app = EnvironmentScope("app", parent: nil) { $0.path = "app.db" }

    private func request(_ visitor: String) -> EnvironmentScope {
        EnvironmentScope("request", parent: app) { $0.visitor = visitor }
    }

    @Test("Requests that see the same inputs share one; an override has its own") func sharing() async throws {
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
        let connection =
            isEntered
            ? try await request { try await request.connection() } : try await request.connection()
        #expect(connection.madeIn == nil)
        #expect(try await request { try await request.constant() } == nil)
    }

    @Test("A deferred value is validated, explained, set, decorated and removed") func ordinary() async throws {
        try app.validate(\.connection)
        let explanation = app.explain(\.connection)
        #expect(explanation.valueType == "Deferred<Connection>")
        #expect(explanation.keptIn == "app")
        let test = EnvironmentScope("test", parent: app) { $0.connection = Deferred { Connection("memory") } }
        #expect(try await test.connection().path == "memory")
        test.removeValue(for: \.connection)
        #expect(try await test.connection().path == "app.db")
        test.decorate(\.connection) { inherited, _ in Deferred { Connection("like \(try await inherited().path)") } }
        #expect(try await test.connection().path == "like app.db")
    }

    @Test("A deferred value keeps no scope alive, made or not", arguments: [false, true])
    func ownership(isMade: Bool) async throws {
        let watch = LifetimeWatch()
        do {
            let scope = watch.add(EnvironmentScope("scope", parent: nil) { $0.log = Log() })
            watch.add(scope.connection)
            watch.add(scope.closing)
            if isMade {
                _ = try await scope.connection()
                _ = try await scope.closing()
            }
        }
        // A run lets go of its captures just after it has ended.
        for _ in 0..<10_000 where watch.alive > 0 { await Task.yield() }
        #expect(watch.alive == 0)
    }
}
