import ScopedInjection
import Testing

private struct Broken: Error {}

extension ScopeValues {
    fileprivate static var secret: ScopeValue<Int> { .required() }
    fileprivate static var broken: ScopeValue<Int> { .lazy { _ in throw Broken() } }
    fileprivate static var onMain: ScopeValue<Int> { .lazy { try $0.main } }
    fileprivate static var session: ScopeValue<Product> { .lazy(.once(in: .request)) { _ in Product("session") } }
    fileprivate static var stand: ScopeValue<Product> { .required() }
}

@Suite("R12: alias(a, to: b) is provide(a) { try $0.b }, in one word", .programRoots)
struct AliasTests {
    private let app = EnvironmentScope("app", parent: nil) { $0.main = 1 }
    private let request: EnvironmentScope

    init() {
        app.alias(\.replica, to: \.main)
        request = .empty("request", role: .request, parent: app)
    }

    @Test("A read of an alias gives what is set for the other value, or its default, and follows its changes")
    func reading() {
        #expect([app.replica, request.replica] == [1, 1])
        app.main = 2
        request.main = 3
        #expect([app.replica, request.replica] == [2, 3])
        app.removeValue(for: \.main)
        #expect([app.replica, request.replica] == [100, 3])
    }

    @Test("An alias holds in its scope and below, and not above or beside it") func elsewhere() {
        request.alias(\.backup, to: \.main)
        let part = EnvironmentScope.empty("part", parent: request)
        #expect([request, part, app, .empty("sibling", parent: app)].map(\.backup) == [1, 1, 300, 300])
    }

    @Test("What stands for a value is the same instance, and is kept where that is") func instance() {
        app.alias(\.stand, to: \.session)
        #expect(request.stand === request.session)
        #expect(request.localValue(for: \.stand) === request.session)
    }

    @Test("Of an alias, a set value and a builder of one scope the later stands", arguments: [true, false])
    func later(isSet: Bool) {
        if isSet { app.replica = 5 } else { app.provide(\.replica) { _ in 5 } }
        #expect(app.replica == 5)
        app.alias(\.replica, to: \.backup)
        #expect(app.replica == 300)
        request.replica = 6
        #expect([request.replica, request.backup] == [6, 300])
    }

    @Test("An error of the other value names both in its path", arguments: [ScopeError.Code.missingValue, .makeFailed])
    func failing(code: ScopeError.Code) throws {
        let isMissing = code == .missingValue
        app.alias(\.replica, to: isMissing ? { $0.secret } : { $0.broken }, line: 7)
        let name = isMissing ? "secret" : "broken"
        let error = try #require(throws: ScopeError.self) { try request.value(for: \.replica) }
        #expect((error.code, error.name, error.path) == (code, name, ["replica", name]))
        #expect(error.description.contains("Needed by: replica (provided at \(#fileID):7) → \(name)"))
        #expect(throws: ScopeError.self) { try app.validate() }
    }

    @Test("Aliases in a circle are a cycle when one is read, and harm no other value") func circle() throws {
        app.alias(\.main, to: \.replica)
        let error = try #require(throws: ScopeError.self) { try request.value(for: \.main) }
        #expect((error.code, error.path) == (.cycle, ["main", "replica", "main"]))
        #expect(error.description.hasPrefix("A cycle: main (Int) needs itself to be built: main → replica → main."))
        #expect(throws: ScopeError.self) { try app.validate(\.replica) }
        #expect(request.backup == 300)
        request.main = 5
        #expect(request.replica == 5)
    }

    @Test("explain says what it says of a builder") func explaining() {
        app.alias(\.replica, to: \.onMain, fileID: "Shop/App.swift", line: 12)
        let explanation = request.explain(\.replica)
        #expect(explanation.description == #"replica (Int): provided in "app" (Shop/App.swift:12), not built yet"#)
        #expect(request.replica == 1)
        #expect(request.explain(\.replica).inputs.map(\.name) == ["onMain"])
    }
}
