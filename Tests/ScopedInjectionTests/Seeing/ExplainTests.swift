import ScopedInjection
import Testing

private enum Mood: Sendable, CustomStringConvertible {
    case secret
    var description: String { fatalError("nothing of a value of one's own is shown") }
}

extension ScopeValues {
    fileprivate static var mood: ScopeValue<Mood> { .required() }
    fileprivate static var secret: ScopeValue<Int> { .required() }
    fileprivate static var mocked: ScopeValue<Int> { .required(inTests: 1) }
    fileprivate static var ratio: ScopeValue<Double> { .required() }
    fileprivate static var isOpen: ScopeValue<Bool?> { .lazy { _ in true } }
    fileprivate static func step(_ number: Int) -> ScopeValue<Int> {
        .lazy(id: number) { number == 0 ? 0 : try $0[ScopeValues.step(number - 1)] + 1 }
    }
    fileprivate static let lineOfDatabase = #line + 1
    fileprivate static var database: ScopeValue<Product> { .lazy { Product("db(\(try $0.host):\(try $0.port))") } }
    fileprivate static var repository: ScopeValue<Product> {
        .lazy { Product("repo(\(try $0.database.text), \(try $0.port))") }
    }
    fileprivate static var session: ScopeValue<Product> { .lazy(.once(in: .request)) { Product(try $0.host) } }
    fileprivate static var cleaned: ScopeValue<Product> {
        .lazy(.once(in: .request)) { $0.withCleanup(Product(try $0.host)) }
    }
    fileprivate static var letter: ScopeValue<Product> { .lazy { Product("letter of \(try $0.session.text)") } }
    fileprivate static var clock: ScopeValue<Product> { .lazy(.transient) { _ in Product("now") } }
    fileprivate static var stamp: ScopeValue<Product> { .lazy { Product("at \(try $0.clock.text)") } }
    fileprivate static var plugins: ScopeValue<[String]> { .lazy { _ in ["core"] } }
}

@Suite("explain says where a value comes from", .programRoots)
struct ExplainTests {
    private let (app, request): (EnvironmentScope, EnvironmentScope)

    init() { (app, request) = makeScopes(role: .request) }

    @Test("A set value names the scope it is set in, and is kept by none") func set() {
        app.host = "db.local"
        let explanation = request.explain(\.host)
        #expect(explanation.description == #"host (String): set in "app""#)
        #expect((explanation.name, explanation.valueType, explanation.scope) == ("host", "String", "app"))
        #expect(explanation.keptIn == nil && explanation.keptBecause == nil)
    }

    @Test("What is decorated is rebuilt by a change further out, and by what it was built from there")
    func decoratedOverOther() {
        app.provide(\.plugins) { [try $0.host] }
        request.decorate(\.plugins) { plugins, _ in plugins + ["request"] }
        #expect(request.plugins == ["localhost", "request"])
        #expect(request.explain(\.plugins).rebuilding == "plugins, host")
        app.plugins = ["new"]
        #expect(request.plugins == ["new", "request"])
        #expect(request.explain(\.plugins).rebuilding == "plugins")
    }

    @Test("What is built from a value that stays is rebuilt by that, and not by what that was built from")
    func builtFromStaying() {
        #expect(request.letter.text == "letter of \(request.session.text)")
        #expect(request.explain(\.letter).rebuilding == "session")
        request.host = "other"
        #expect(request.explain(\.letter).keptIn == "request")
    }

    @Test("A required value that nobody sets is no value, also as an input") func missingInput() {
        request.provide(\.plugins) { reader in (try? reader.mood).map { _ in [""] } ?? [] }
        #expect(request.plugins == [])
        #expect(request.explain(\.plugins).description.contains("\n  mood (Mood): no value\n"))
    }

    @Test("Explaining a default does not build it") func unbuiltDefault() {
        let place = "\(#fileID):\(ScopeValues.lineOfDatabase)"
        let text = "database (Product): its own default (\(place)), not built yet"
        #expect(request.explain(\.database).description == text)
        #expect(app.localValue(for: \.database) == nil)
    }

    @Test("A built value names all that it was built from, where that comes from, and which changes rebuild it")
    func built() {
        app.host = "db.local"
        request.port = 1
        _ = request.repository
        let explanation = request.explain(\.repository)
        #expect(explanation.keptIn == "request")
        #expect(explanation.rebuilding == "database, host, port")
        #expect(explanation.inputs.map(\.name) == ["database"])
        let database = explanation.inputs[0]
        #expect(database.keptIn == "request" && database.keptBecause == "port (Int) is set there")
        #expect(database.inputs.map(\.name) == ["host", "port"])
        #expect(database.inputs.map(\.scope) == ["app", "request"])
        let text = "\n    host (String): set in \"app\"\n    port (Int): set in \"request\": 1\n"
        #expect(explanation.description.contains(text))
        #expect(app.explain(\.repository).keptBecause == nil)
    }

    @Test("A value that several were built from is told once in full") func several() {
        _ = app.repository
        app.provide(\.letter) { Product(try $0.repository.text + $0.stamp.text + $0.database.text) }
        app.provide(\.stamp) { Product(try $0.database.text) }
        _ = app.letter
        let lines = app.explain(\.letter).description.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
        #expect(lines.filter { $0.hasPrefix("database") }.map { $0.hasSuffix(", see above") } == [false, true])
        #expect(lines.count { $0.hasPrefix("host") } == 1)
    }

    @Test("What a value has read itself, and is read by another of its inputs, is an input of that one") func apart() {
        app.provide(\.plugins) { [try $0.host, try $0.user?.name ?? "", try $0.database.text] }
        _ = app.plugins
        #expect(app.explain(\.plugins).inputs.map(\.name) == ["user", "database"])
    }

    @Test("A value whose input changed counts as not built") func outOfDate() {
        _ = app.database
        app.port = 2
        #expect(app.explain(\.database).line.hasSuffix("), not built yet"))
        #expect(app.database.text == "db(localhost:2)")
        #expect(app.explain(\.database).line.hasSuffix("), built and kept in \"app\""))
    }

    @Test("A provided builder is named with its scope and its place in the source") func provided() {
        app.provide(\.database, line: 7) { Product("provided \(try $0.host)") }
        let text = #"database (Product): provided in "app" (\#(#fileID):7), not built yet"#
        #expect(request.explain(\.database).line == text)
        _ = request.database
        let whole = #"database (Product): provided in "app" (\#(#fileID):7), built and kept in "app""#
        #expect(request.explain(\.database).line == whole)
    }

    @Test("A value that stays is explained as kept in the scope of its role, a transient one as built at each read")
    func lifetimes() {
        _ = request.session
        let part = EnvironmentScope("part", parent: request) { $0.host = "there" }
        #expect(part.explain(\.session).line.hasSuffix("), begun and kept in \"request\""))
        let text = "\n  stays until \"request\" is closed; a set, a removal or a discard of it there begins another"
        #expect(part.explain(\.session).description.hasSuffix(text))
        let other = EnvironmentScope.empty("other", role: .request, parent: app)
        #expect(other.explain(\.session).line.hasSuffix("), not begun yet"))
        #expect(app.explain(\.clock).line.hasSuffix("), built at each read"))
        _ = app.stamp
        #expect(app.explain(\.stamp).keptIn == "app")
    }

    @Test("Numbers and Booleans are shown, and nothing else, of which anything may be a secret") func shownValue() {
        app.token = Token(text: "secret")
        app.host = "secret"
        app.mood = .secret
        for text in ["\(app.explain(\.token))", "\(app.explain(\.host))", "\(app.explain(\.mood))"] {
            #expect(!text.contains("secret"))
        }
        app.port = 12
        app.ratio = 0.5
        _ = app.isOpen
        #expect(app.explain(\.port).description == #"port (Int): set in "app": 12"#)
        #expect(app.explain(\.isOpen).line.hasSuffix(#"), built and kept in "app": true"#))
        #expect(app.explain(\.ratio).shownValue == "0.5" && app.explain(\.host).shownValue == nil)
    }

    @Test("Explaining while other threads build and set neither fails nor builds") func concurrently() async {
        await onThreads(4) { [app, request] index in
            for step in 0..<200 {
                switch index {
                case 0: app.port = step
                case 1: _ = givenDespiteChanges { try request.value(for: \.repository) }
                case 2: #expect(request.explain(\.repository).problem == nil)
                default: #expect(request.graph.mermaid.contains(#"subgraph s1["request"]"#))
                }
            }
        }
        #expect(request.repository.text == "repo(db(localhost:199), 199)")
    }

    @Test("Decorations are listed with their places, the innermost first, over what they decorate")
    func decorations() {
        app.decorate(\.host, line: 1) { inherited, _ in inherited + "!" }
        app.modify(\.host, line: 2) { $0 += "?" }
        let places = "\(#fileID):1, \(#fileID):2"
        let text = #"host (String): decorated in "app" (\#(places)) over what lies further out, not built yet"#
        #expect(request.explain(\.host).description == text)
        app.provide(\.host, line: 3) { _ in "own" }
        let whole =
            #"host (String): decorated in "app" (\#(places)) over what is provided there (\#(#fileID):3), not built yet"#
        #expect(app.explain(\.host).description == whole)
        #expect(app.debugDescription.contains("    \(app.explain(\.host))"))
        app.host = "set"
        app.modify(\.host, line: 4) { $0 += "?" }
        #expect(app.host == "set?")
        let otherText =
            #"host (String): decorated in "app" (\#(#fileID):4) over what is set there, built and kept in "app""#
        #expect(app.explain(\.host).description.hasPrefix(otherText))
    }

    @Test("Six hundred values that are built from each other in a row are explained on a small stack") func deep() {
        for number in 0..<600 { #expect(app[ScopeValues.step(number)] == number) }
        onSmallStack(256 << 10) { [app] in
            #expect(app.explain({ $0.step(599) }).description.split(separator: "\n").count == 602)
        }
    }

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

    @Test("The problem is the error of the read: a value is missing, a default forbidden, a parent gone")
    func problems() {
        expectSame(\.secret, app, says: "secret (Int): no value\n  No value for secret (Int): nothing")
        let program = EnvironmentScope.empty("program", parent: nil, defaults: .allowed)
        expectSame(\.mocked, program, says: "mocked (Int): no value\n  No value for mocked (Int): nothing")
        let strict = EnvironmentScope.empty("strict", parent: nil, defaults: .forbidden)
        let child = EnvironmentScope.empty("child", parent: strict, defaults: .forbidden)
        expectSame(\.port, child, says: #""child" forbids defaults"#)
        let orphan = EnvironmentScope.empty("orphan", parent: .empty("gone", parent: nil))
        expectSame(\.port, orphan, says: #""gone", the parent of "orphan", is gone"#)
    }

    @Test("In a closed scope nothing is a problem by what its builder has done elsewhere") func closed() async {
        request.host = "here"
        _ = EnvironmentScope.empty("other", role: .request, parent: nil).cleaned
        await request.close()
        #expect(request.explain(\.host).problem == nil && request.explain(\.database).problem == nil)
        #expect(request.explain(\.session).problem == nil && request.explain(\.cleaned).problem == nil)
    }
}
