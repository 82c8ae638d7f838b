import ScopedInjection
import Testing

private struct Broken: Error {}

extension ScopeValues {
    fileprivate static var pool: ScopeValue<Product> { .lazy { Product("pool \(try $0.main)") } }
    fileprivate static var session: ScopeValue<Product> { .lazy(.once(in: .request)) { _ in Product("session") } }
    fileprivate static var secret: ScopeValue<Int> { .required() }
    fileprivate static var broken: ScopeValue<Int> { .lazy { _ in throw Broken() } }
    fileprivate static var onReplica: ScopeValue<Int> { .lazy { try $0.replica } }
    fileprivate static var ofReplica: ScopeValue<String> { .lazy { "replica \(try $0.replica)" } }
    fileprivate static func link(_ number: Int) -> ScopeValue<Int> { .value(0, id: number) }
    fileprivate static func other(_ lifetime: ValueLifetime) -> ScopeValue<Product> {
        .lazy(lifetime, id: lifetime) { _ in Product("its own") }
    }
}

@Suite("R12: an alias is a builder that reads the other value", .programRoots)
struct AliasTests {
    private let app = EnvironmentScope("app", parent: nil) { $0.main = 1 }
    private let request: EnvironmentScope

    init() {
        app.alias(\.replica, to: \.main)
        request = .empty("request", role: .request, parent: app)
    }

    // MARK: Reading

    @Test("A read of an alias gives what is set for the other value, or its default, and follows its changes")
    func reading() {
        #expect([app.replica, request.replica] == [1, 1])
        app.main = 2
        request.main = 3
        #expect([app.replica, request.replica] == [2, 3])
        app.removeValue(for: \.main)
        #expect([app.replica, request.replica] == [100, 3])
    }

    @Test("An alias holds in its scope and below, and not above or beside it")
    func elsewhere() {
        request.alias(\.backup, to: \.main)
        let part = EnvironmentScope.empty("part", parent: request)
        #expect([request, part, app, .empty("sibling", parent: app)].map(\.backup) == [1, 1, 300, 300])
    }

    @Test(
        "An alias gives the instance of the other value, and is never kept, whatever its own lifetime",
        arguments: [ValueLifetime.shared, .once(in: .request), .transient]
    )
    func instances(lifetime: ValueLifetime) {
        let alias = ScopeValues.other(lifetime)
        app.alias({ _ in alias }, to: \.pool)
        #expect(request[alias] === app.pool && app[alias] === app.pool)
        request.alias({ _ in alias }, to: \.session)
        let part = EnvironmentScope.empty("part", parent: request)
        #expect(request[alias] === request.session && part[alias] === request.session)
        for scope in [app, request, part] {
            #expect(scope.localValue(for: { _ in alias }) == nil && scope.explain({ _ in alias }).keptIn == nil)
        }
    }

    @Test("A hundred aliases in a row lead to the value at their end")
    func row() {
        for number in 0..<100 { app.alias({ $0.link(number) }, to: { $0.link(number + 1) }) }
        request.with({ $0.link(100) }, 5)
        #expect(request[ScopeValues.link(0)] == 5)
        #expect(app[ScopeValues.link(0)] == 0)
    }

    // MARK: Changes

    @Test("A set, a builder or a removal of one of the two values concerns that one alone")
    func changes() {
        request.replica = 5
        #expect([request.main, request.replica, app.replica] == [1, 5, 1])
        #expect(request.removeValue(for: \.replica) == 5)
        request.provide(\.replica) { _ in 6 }
        #expect([request.main, request.replica] == [1, 6])
        request.alias(\.replica, to: \.backup)
        #expect([request.main, request.replica] == [1, 300])
        app.removeValue(for: \.replica)
        #expect([app.main, app.replica] == [1, 200])
    }

    @Test("Of an alias, a set value and a builder of one scope the later stands", arguments: [true, false])
    func later(isSet: Bool) {
        if isSet { app.replica = 5 } else { app.provide(\.replica) { _ in 5 } }
        #expect(app.replica == 5)
        app.alias(\.replica, to: \.backup)
        #expect(app.replica == 300)
    }

    @Test("Decorations of an alias lie over what it gives, those of the other value below")
    func decorations() {
        app.decorate(\.replica) { inherited, _ in inherited + 1 }
        app.decorate(\.main) { inherited, _ in inherited * 10 }
        #expect([app.main, app.replica] == [10, 11])
        app.alias(\.replica, to: \.backup)
        #expect([app.main, app.replica] == [10, 301])
    }

    @Test("removeAll of its scope removes an alias, and that of another scope does not")
    func removingAll() {
        request.removeAll()
        #expect(request.replica == 1)
        app.removeAll()
        #expect([app.main, app.replica, request.replica] == [100, 200, 200])
    }

    @Test("What is built from an alias is shared, and rebuilt where the other value or the alias is another one")
    func inputs() {
        #expect(request.ofReplica == "replica 1")
        #expect(app.localValue(for: \.ofReplica) == "replica 1")
        request.main = 2
        #expect([request.ofReplica, app.ofReplica] == ["replica 2", "replica 1"])
        request.alias(\.replica, to: \.backup)
        #expect([request.ofReplica, app.ofReplica] == ["replica 300", "replica 1"])
        app.main = 3
        #expect([request.ofReplica, app.ofReplica] == ["replica 300", "replica 3"])
    }

    // MARK: Errors

    @Test("An error of the other value names both in its path", arguments: [ScopeError.Code.missingValue, .makeFailed])
    func failing(code: ScopeError.Code) throws {
        let isMissing = code == .missingValue
        app.alias(\.replica, to: isMissing ? { $0.secret } : { $0.broken }, line: 7)
        let name = isMissing ? "secret" : "broken"
        let error = try #require(throws: ScopeError.self) { try request.value(for: \.replica) }
        #expect((error.code, error.name, error.path) == (code, name, ["replica", name]))
        #expect(error.description.contains("Needed by: replica (aliased at \(#fileID):7) → \(name)"))
        #expect(throws: ScopeError.self) { try app.validate() }
    }

    @Test("Aliases in a circle are a cycle when one is read, and harm no other value")
    func circle() throws {
        app.alias(\.main, to: \.replica)
        let error = try #require(throws: ScopeError.self) { try request.value(for: \.main) }
        #expect((error.code, error.path) == (.cycle, ["main", "replica", "main"]))
        #expect(error.description.hasPrefix("A cycle: main (Int) needs itself to be built: main → replica → main."))
        #expect(throws: ScopeError.self) { try app.validate(\.replica) }
        #expect(request.backup == 300)
        request.main = 5
        #expect(request.replica == 5)
    }

    @Test("A circle through aliases that two threads enter is a cycle for both, and no hang", .timeLimit(.minutes(10)))
    func circleOfThreads() async {
        for _ in 0..<100 {
            let app = EnvironmentScope.empty("app", parent: nil)
            app.alias(\.replica, to: \.backup)
            app.alias(\.backup, to: \.onReplica)
            await onThreads(2) { index in
                let error = #expect(throws: ScopeError.self) {
                    try app.value(for: index == 0 ? { $0.replica } : { $0.onReplica })
                }
                #expect(error?.code == .cycle)
            }
        }
    }

    @Test("The alias of a scope that is gone is an error, and leads to no default")
    func gone() throws {
        var parent: EnvironmentScope? = .empty("parent", parent: nil)
        parent?.alias(\.replica, to: \.main)
        let child = EnvironmentScope("child", parent: parent) { $0.main = 1 }
        #expect(child.replica == 1)
        parent = nil
        let error = try #require(throws: ScopeError.self) { try child.value(for: \.replica) }
        #expect(error.code == .parentReleased)
    }

    // MARK: Seeing

    @Test("explain names the place of an alias, and follows none: it builds nothing")
    func explaining() {
        app.alias(\.backup, to: \.main, fileID: "Shop/App.swift", line: 12)
        #expect(request.explain(\.backup).line.hasPrefix(#"backup (Int): provided in "app" (Shop/App.swift:12)"#))
    }
}
