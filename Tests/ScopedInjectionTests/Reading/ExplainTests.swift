import ScopedInjection
import Testing

private enum DatabaseKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Product { Product("db(\(scope.host):\(scope.port))") }
}
private enum RepositoryKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Product {
        Product("repo(\(scope[DatabaseKey.self].text), \(scope.port))")
    }
}
private enum SessionKey: ScopeKey {
    static let lifetime = ValueLifetime.scoped
    static func makeValue(in scope: EnvironmentScope) -> Product { Product(scope.host) }
}
private enum ClockKey: ScopeKey {
    static let lifetime = ValueLifetime.transient
    static func makeValue(in scope: EnvironmentScope) -> Product { Product("now") }
}
private enum StampKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Product { Product("at \(scope[ClockKey.self].text)") }
}
private enum MainKey: ScopeKey { static let defaultValue = 1 }
extension ScopeValues {
    fileprivate static let secret = ScopeValue<String>.required(name: "secret")
    fileprivate static let paths = ScopeValue(["default"], name: "paths")
}

@Suite("explain says where a value comes from")
struct ExplainTests {
    let app = EnvironmentScope.empty("app", parent: nil)
    let request: EnvironmentScope

    init() { request = .empty("request", parent: app) }

    @Test("A set value names the scope it is set in")
    func set() {
        app.host = "db.local"
        let explanation = request.explain(HostKey.self)
        #expect(explanation.source == .set)
        #expect(explanation.scope == "app")
        #expect(explanation.isThere)
        #expect(explanation.keptIn == nil)
        #expect(explanation.description == #"HostKey (String): set in "app""#)
    }

    @Test("Explaining a default does not build it")
    func unbuiltDefault() {
        let explanation = request.explain(RepositoryKey.self)
        #expect(explanation.source == .default)
        #expect(!explanation.isThere)
        #expect(explanation.description == "RepositoryKey (Product): its own default, not built yet")
        #expect(app.localValue(for: RepositoryKey.self) == nil)
        #expect(app.localValue(for: DatabaseKey.self) == nil)
    }

    @Test("A built value names its inputs, where they come from, and which changes rebuild it")
    func built() {
        app.host = "db.local"
        request.port = 1
        _ = request[RepositoryKey.self]
        #expect(
            request.explain(RepositoryKey.self).description == """
                RepositoryKey (Product): its own default, built and kept in "request"
                  DatabaseKey (Product): its own default, built and kept in "request"
                    HostKey (String): set in "app"
                    PortKey (Int): set in "request"
                  PortKey (Int): set in "request"
                  rebuilt when one of these changes: DatabaseKey, HostKey, PortKey
                """
        )
        #expect(app.explain(RepositoryKey.self).keptIn == nil)
    }

    @Test("A value without inputs says that nothing rebuilds it")
    func builtFromNothing() {
        _ = request.port
        #expect(
            request.explain(PortKey.self).description == """
                PortKey (Int): its own default, built and kept in "app"
                  built from nothing that can change
                """
        )
    }

    @Test("A value whose input changed counts as not built; the old one is not rebuilt or released")
    func stale() {
        weak var old: Product?
        do {
            let product = app[DatabaseKey.self]
            old = product
        }
        app.port = 2
        #expect(app.explain(DatabaseKey.self).keptIn == nil)
        #expect(old != nil)
        #expect(app[DatabaseKey.self].text == "db(localhost:2)")
        #expect(old == nil)
    }

    @Test("A provided builder is named with its scope and its place in the source")
    func provided() {
        let line: UInt = #line + 1
        app.provide(DatabaseKey.self) { Product("provided \($0.host)") }
        let unbuilt = request.explain(DatabaseKey.self)
        #expect(unbuilt.source == .provided)
        #expect(unbuilt.location?.line == line)
        #expect(unbuilt.location?.fileID == "ScopedInjectionTests/ExplainTests.swift")
        #expect(
            unbuilt.description == """
                DatabaseKey (Product): provided in "app" (ScopedInjectionTests/ExplainTests.swift:\(line)), not built yet
                """
        )
        _ = request[DatabaseKey.self]
        #expect(request.explain(DatabaseKey.self).keptIn == "app")
        #expect(request.explain(DatabaseKey.self).rebuiltByChangesOf == ["HostKey"])
    }

    @Test("A scoped value is explained for each scope by itself")
    func scoped() {
        _ = app[SessionKey.self]
        #expect(app.explain(SessionKey.self).keptIn == "app")
        #expect(request.explain(SessionKey.self).keptIn == nil)
        _ = request[SessionKey.self]
        #expect(request.explain(SessionKey.self).keptIn == "request")
    }

    @Test("A transient value is built at each read, and is still an input of values built from it")
    func transient() {
        #expect(
            app.explain(ClockKey.self).description == "ClockKey (Product): its own default, built at each read"
        )
        _ = app[StampKey.self]
        #expect(app.explain(StampKey.self).inputs.map(\.key) == ["ClockKey"])
    }

    @Test("An alias is followed, and named")
    func alias() {
        app.alias(MainKey.self, to: PortKey.self)
        app.port = 5
        let explanation = request.explain(MainKey.self)
        #expect(explanation.aliasOf == "PortKey")
        #expect(explanation.description == #"MainKey (Int): an alias of PortKey, set in "app""#)
        let shared = ScopeValue { _ in 2 }
        app.alias(shared, to: ScopeValue(.transient) { _ in 1 })
        #expect(app.explain(shared).lifetime == .transient)
        #expect(app.explain(shared).description.contains("built at each read"))
    }

    @Test("The reason why a read would fail is the explanation's problem")
    func problems() {
        let orphan = EnvironmentScope.empty("orphan", parent: .empty("parent", parent: nil))
        #expect(orphan.explain(PortKey.self).problem?.code == .parentReleased)
        #expect(orphan.explain(PortKey.self).source == .unknown)

        let strict = EnvironmentScope.empty("strict", parent: nil, defaults: .forbidden)
        #expect(strict.explain(PortKey.self).problem?.code == .defaultForbidden)
        strict.port = 1
        #expect(strict.explain(PortKey.self).problem == nil)
    }

    @Test("A default that is forbidden here is not explained as the one built above")
    func forbiddenBelow() {
        _ = app.port
        let strict = EnvironmentScope.empty("strict", parent: app, defaults: .forbidden)
        #expect(strict.explain(PortKey.self).problem?.code == .defaultForbidden)
        #expect(app.explain(PortKey.self).keptIn == "app")
    }

    @Test("In a closed scope, a value that is not built is a problem, and a set one is not")
    func closed() async {
        request.host = "here"
        await request.close()
        #expect(request.explain(SessionKey.self).problem?.code == .closed)
        #expect(request.explain(HostKey.self).problem == nil)
    }

    @Test("A value that has to be set is a problem, not a default")
    func required() {
        let explanation = app.explain(\.secret)
        #expect(explanation.source == .unknown)
        #expect(explanation.problem?.code == .missingValue)
        #expect(explanation.problem?.searchedScopes == [#""app""#])
        #expect(explanation.description.hasPrefix("secret (String): no value\n  No value for secret (String): nothing"))
        app.secret = "s"
        #expect(app.explain(\.secret).problem == nil)
    }

    @Test("So is a shared value that only closed scopes could keep")
    func closedRoot() async {
        await request.close()
        #expect(request.explain(HostKey.self).problem == nil)
        #expect(request.explain(ClockKey.self).problem == nil)
        request.provide(PortKey.self) { _ in 1 }
        #expect(request.explain(PortKey.self).problem?.code == .closed)
        await app.close()
        #expect(request.explain(HostKey.self).problem?.code == .closed)
        #expect(request.explain(ClockKey.self).problem == nil)
    }

    @Test("A value that extends the inherited one names that as its input")
    func inherited() {
        app.port = 1
        request.port = 2
        request.provide(\.paths) { scope in try scope.inherited(\.paths) + ["request"] }
        request.provide(HostKey.self) { scope in "host \(try scope.inherited(PortKey.self))" }
        _ = (request.paths, request.host)
        let paths = request.explain(\.paths)
        #expect(paths.inputs.map(\.source) == [.default])
        #expect(paths.inputs.map(\.keptIn) == ["app"])
        app.paths = ["app"]
        _ = request.paths
        #expect(request.explain(\.paths).inputs.map(\.scope) == ["app"])
        #expect(request.explain(\.paths).rebuiltByChangesOf == ["paths"])
    }

    @Test("What was read through another scope is explained as that one sees it")
    func throughAnotherScope() {
        app[RoomKey.self] = Room(number: 1)
        request[RoomKey.self] = Room(number: 2)
        request.provide(HostKey.self) { [app] _ in "room \(app[RoomKey.self].number)" }
        #expect(request.host == "room 1")
        let explanation = request.explain(HostKey.self)
        #expect(explanation.inputs.map(\.scope) == ["app"])
        #expect(explanation.inputs.map(\.shownValue) == ["room 1"])
    }

    @Test("What was read through a scope that is gone is not explained")
    func throughAScopeThatIsGone() {
        var other: EnvironmentScope? = EnvironmentScope("other", parent: nil) { $0.port = 1 }
        request.provide(HostKey.self) { [weak other] _ in "port \(other?.port ?? 0)" }
        #expect(request.host == "port 1")
        #expect(request.explain(HostKey.self).inputs.map(\.scope) == ["other"])
        other = nil
        #expect(request.explain(HostKey.self).inputs.isEmpty)
    }

    @Test("Two values of one name are told apart")
    func sameName() {
        let (first, second) = (ScopeValue(1, name: "first"), ScopeValue(2, name: "second"))
        let one = ScopeValue(name: "cache") { scope in scope[first] }
        let two = ScopeValue(name: "cache") { scope in scope[second] }
        let sum = ScopeValue(name: "sum") { scope in scope[one] + scope[two] }
        #expect(app[sum] == 3)
        let explanation = app.explain(sum)
        #expect(explanation.rebuiltByChangesOf == ["cache", "first", "second"])
        #expect(!explanation.description.contains("see above"))
        #expect(explanation.description.contains("\n    second (Int): its own default"))
    }

    @Test("A value is shown only if its type allows it")
    func secrets() {
        app.token = Token(text: "secret")
        app[RoomKey.self] = Room(number: 12)
        #expect(!app.explain(TokenKey.self).description.contains("secret"))
        #expect(app.explain(RoomKey.self).description == #"RoomKey (Room): set in "app": room 12"#)
        #expect(app.explain(RoomKey.self).shownValue == "room 12")
    }

    @Test("The scope that a builder was given explains as the scope that keeps the value")
    func builderScope() throws {
        let kept = app[KeptScopeKey.self]
        app.port = 3
        #expect(kept.scope.explain(PortKey.self).scope == "app")
    }

    @Test("Explaining while other threads build and set neither fails nor builds")
    func concurrently() async {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        await onThreads(4) { index in
            for step in 0..<200 {
                switch index {
                case 0: app.port = step
                case 1: _ = request[RepositoryKey.self]
                case 2: #expect(request.explain(RepositoryKey.self).problem == nil)
                default: #expect(request.graph.scopes == ["app", "request"])
                }
            }
        }
        #expect(request[RepositoryKey.self].text == "repo(db(localhost:199), 199)")
    }
}

private struct Room: Sendable, ScopeDescribable, CustomStringConvertible {
    let number: Int
    var description: String { "room \(number)" }
}
private enum RoomKey: ScopeKey { typealias Value = Room }

private final class ScopeKeeper: Sendable {
    let scope: EnvironmentScope
    init(_ scope: EnvironmentScope) { self.scope = scope }
}
private enum KeptScopeKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> ScopeKeeper { ScopeKeeper(scope) }
}
