import Foundation
import ScopedInjection
import Testing

private struct Room: Sendable, ScopeDescribable, CustomStringConvertible {
    let number: Int
    var description: String { "room \(number)" }
}

extension ScopeValues {
    fileprivate static var room: ScopeValue<Room> { .required() }
    fileprivate static var secret: ScopeValue<Int> { .required() }
    fileprivate static func step(_ number: Int) -> ScopeValue<Int> {
        .lazy(id: number) { number == 0 ? 0 : try $0[ScopeValues.step(number - 1)] + 1 }
    }
    fileprivate static var database: ScopeValue<Product> { .lazy { Product("db(\(try $0.host):\(try $0.port))") } }
    fileprivate static var repository: ScopeValue<Product> {
        .lazy { Product("repo(\(try $0.database.text), \(try $0.port))") }
    }
    fileprivate static var session: ScopeValue<Product> { .lazy(.once(in: .request)) { Product(try $0.host) } }
    fileprivate static var cleaned: ScopeValue<Product> {
        .lazy(.once(in: .request)) { reader in
            reader.onClose {}
            return Product(try reader.host)
        }
    }
    fileprivate static var letter: ScopeValue<Product> { .lazy { Product("letter of \(try $0.session.text)") } }
    fileprivate static var clock: ScopeValue<Product> { .lazy(.transient) { _ in Product("now") } }
    fileprivate static var stamp: ScopeValue<Product> { .lazy { Product("at \(try $0.clock.text)") } }
    fileprivate static var plugins: ScopeValue<[String]> { .lazy { _ in ["core"] } }
}

@Suite("explain says where a value comes from", .programRoots)
struct ExplainTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let request: EnvironmentScope

    init() { request = .empty("request", role: .request, parent: app) }

    @Test("A set value names the scope it is set in")
    func set() {
        app.host = "db.local"
        let explanation = request.explain(\.host)
        #expect(explanation.source == .set)
        #expect(explanation.scope == "app")
        #expect(explanation.isThere)
        #expect(!explanation.isKept)
        #expect(explanation.description == #"host (String): set in "app""#)
    }

    @Test("What is decorated is rebuilt by a change further out, and by what it was built from there")
    func decoratedOverOther() {
        app.provide(\.plugins) { [try $0.host] }
        request.decorate(\.plugins) { plugins, _ in plugins + ["request"] }
        #expect(request.plugins == ["localhost", "request"])
        #expect(request.explain(\.plugins).rebuiltByChangesOf == ["plugins", "host"])
        app.plugins = ["new"]
        #expect(request.plugins == ["new", "request"])
        #expect(request.explain(\.plugins).rebuiltByChangesOf == ["plugins"])
    }

    @Test("What is built from a value that stays is rebuilt by that, and not by what that was built from")
    func builtFromStaying() {
        #expect(request.letter.text == "letter of \(request.session.text)")
        #expect(request.explain(\.letter).rebuiltByChangesOf == ["session"])
        request.host = "other"
        #expect(request.explain(\.letter).isKept)
    }

    @Test("A required value that nobody sets is no value, also as an input")
    func missingInput() {
        request.provide(\.plugins) { reader in (try? reader.room).map { ["\($0)"] } ?? [] }
        #expect(request.plugins == [])
        #expect(request.explain(\.plugins).inputs.map(\.source) == [.unknown])
        #expect(request.explain(\.plugins).description.contains("\n  room (Room): no value\n"))
    }

    @Test("Explaining a default does not build it")
    func unbuiltDefault() throws {
        let explanation = request.explain(\.repository)
        #expect(explanation.source == .default)
        #expect(!explanation.isThere)
        let place = try #require(explanation.location)
        #expect(place.fileID == #fileID)
        #expect(explanation.description == "repository (Product): its own default (\(place)), not built yet")
        #expect(app.localValue(for: \.repository) == nil)
    }

    @Test("A built value names all that it was built from, where that comes from, and which changes rebuild it")
    func built() {
        app.host = "db.local"
        request.port = 1
        _ = request.repository
        let explanation = request.explain(\.repository)
        #expect(explanation.keptIn == "request")
        #expect(Set(explanation.rebuiltByChangesOf) == ["database", "host", "port"])
        let database = explanation.inputs.first { $0.name == "database" }
        #expect(database?.keptIn == "request")
        #expect(database?.inputs.map(\.name) == ["host", "port"])
        #expect(database?.inputs.map(\.scope) == ["app", "request"])
        #expect(
            explanation.description.hasPrefix("repository (Product): its own default (\(#fileID):")
        )
        #expect(explanation.description.contains(#"host (String): set in "app""#))
        #expect(!app.explain(\.repository).isKept)
    }

    @Test("A value whose input changed counts as not built")
    func outOfDate() {
        _ = app.database
        app.port = 2
        #expect(!app.explain(\.database).isKept)
        #expect(app.database.text == "db(localhost:2)")
        #expect(app.explain(\.database).keptIn == "app")
    }

    @Test("A provided builder is named with its scope and its place in the source; a decorated value likewise")
    func provided() {
        let line: UInt = #line + 1
        app.provide(\.database) { Product("provided \(try $0.host)") }
        let unbuilt = request.explain(\.database)
        #expect(unbuilt.source == .provided)
        #expect(unbuilt.location?.line == line)
        #expect(unbuilt.location?.fileID == "ScopedInjectionTests/ExplainTests.swift")
        #expect(unbuilt.description.hasPrefix(#"database (Product): provided in "app" (ScopedInjectionTests/Explain"#))
        _ = request.database
        #expect(request.explain(\.database).keptIn == "app")
        app.decorate(\.plugins) { inherited, _ in inherited + ["app"] }
        #expect(request.explain(\.plugins).source == .decorated)
        #expect(request.explain(\.plugins).scope == "app")
    }

    @Test("A value that stays is explained as kept in the scope of its role, a transient one as built at each read")
    func lifetimes() {
        _ = request.session
        let part = EnvironmentScope("part", parent: request) { $0.host = "there" }
        #expect(part.explain(\.session).keptIn == "request")
        #expect(part.explain(\.session).lifetime == .once(in: .request))
        #expect(!EnvironmentScope.empty("other", role: .request, parent: app).explain(\.session).isKept)
        #expect(app.explain(\.clock).description.hasSuffix("), built at each read"))
        #expect(app.explain(\.clock).lifetime == .transient)
        _ = app.stamp
        #expect(app.explain(\.stamp).keptIn == "app")
    }

    @Test("A value is shown only if its type allows it")
    func shownValue() {
        app.token = Token(text: "secret")
        app.room = Room(number: 12)
        #expect(!app.explain(\.token).description.contains("secret"))
        #expect(app.explain(\.room).description == #"room (Room): set in "app": room 12"#)
        #expect(app.explain(\.room).shownValue == "room 12")
    }

    @Test("In a closed scope nothing is a problem by what its builder has done elsewhere")
    func closed() async {
        _ = EnvironmentScope.empty("other", role: .request, parent: nil).cleaned
        await request.close()
        #expect(request.explain(\.cleaned).problem == nil)
        #expect(request.explain(\.database).problem == nil)
    }

    @Test("Explaining while other threads build and set neither fails nor builds")
    func concurrently() async {
        await onThreads(4) { [app, request] index in
            for step in 0..<200 {
                switch index {
                case 0: app.port = step
                case 1: _ = givenDespiteChanges { try request.value(for: \.repository) }
                case 2: #expect(request.explain(\.repository).problem == nil)
                default: #expect(request.graph.scopes == ["app", "request"])
                }
            }
        }
        #expect(request.repository.text == "repo(db(localhost:199), 199)")
    }

    // MARK: Decorations

    @Test("Decorations are listed with their places, the innermost first, over what they decorate")
    func decorations() {
        app.decorate(\.host, line: 1) { inherited, _ in inherited + "!" }
        app.modify(\.host, line: 2) { $0 += "?" }
        let places = "\(#fileID):1, \(#fileID):2"
        let beyond = request.explain(\.host)
        #expect(beyond.source == .decorated)
        #expect(beyond.decorations.map(\.line) == [1, 2])
        #expect(
            beyond.description
                == #"host (String): decorated in "app" (\#(places)) over what lies further out, not built yet"#
        )
        app.provide(\.host, line: 3) { _ in "own" }
        #expect(
            app.explain(\.host).description
                == #"host (String): decorated in "app" (\#(places)) over what is provided there (\#(#fileID):3), not built yet"#
        )
        #expect(app.debugDescription.contains("    \(app.explain(\.host))"))
        app.host = "set"
        app.modify(\.host, line: 4) { $0 += "?" }
        #expect(app.host == "set?")
        #expect(
            app.explain(\.host).description.hasPrefix(
                #"host (String): decorated in "app" (\#(#fileID):4) over what is set there, built and kept in "app""#
            )
        )
    }

    @Test("Six hundred values that are built from each other in a row are explained on a small stack")
    func deep() async {
        let (app, ended, lines) = (app, Barrier(), Box(0))
        for number in 0..<600 { #expect(app[ScopeValues.step(number)] == number) }
        let thread = Thread {
            lines.value = app.explain({ $0.step(599) }).description.split(separator: "\n").count
            ended.open()
        }
        thread.stackSize = 256 << 10
        thread.start()
        await ended.pass()
        #expect(lines.value == 602)
    }

    // MARK: Problems

    /// Expects that the problem of an explanation is the error of the read, and that its text has a part.
    private func expectSame(
        _ value: ValueName<Int>,
        _ scope: EnvironmentScope,
        says part: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let explanation = scope.explain(value)
        let error = #expect(throws: ScopeError.self, sourceLocation: location) { try scope.value(for: value) }
        #expect(explanation.problem?.description == error?.description, sourceLocation: location)
        #expect(explanation.description.contains(part), sourceLocation: location)
    }

    @Test("The problem is the error of the read: a value that is missing")
    func missing() {
        expectSame(\.secret, app, says: "secret (Int): no value\n  No value for secret (Int): nothing")
        #expect(app.explain(\.secret).source == .unknown)
    }

    @Test("Of several scopes that forbid a default, the nearest is named")
    func forbidden() {
        let strict = EnvironmentScope.empty("strict", parent: nil, defaults: .forbidden)
        let child = EnvironmentScope.empty("child", parent: strict, defaults: .forbidden)
        expectSame(\.port, child, says: #""child" forbids defaults"#)
    }

    @Test("A parent that is gone")
    func gone() {
        let orphan = EnvironmentScope.empty("orphan", parent: .empty("gone", parent: nil))
        expectSame(\.port, orphan, says: #""gone", the parent of "orphan", is gone"#)
    }
}
