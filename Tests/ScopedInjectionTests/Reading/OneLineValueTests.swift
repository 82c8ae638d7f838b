import ScopedInjection
import Testing

private protocol Store: Sendable { var path: String { get } }
private struct FileStore: Store { let path: String }
private struct MemoryStore: Store { var path: String { "memory" } }
private struct Settings: Sendable, Equatable {
    var url = "http://localhost"
    var retries = 3
}

extension ScopeValues {
    fileprivate static let number = ScopeValue(8080, isSafeInTests: true)
    fileprivate static let path = ScopeValue("notes.db")
    fileprivate static let store = ScopeValue<any Store> { scope in FileStore(path: scope.path) }
    fileprivate static let guest = ScopeValue<User?>()
    fileprivate static let secret = ScopeValue<Token>.required(name: "secret")
    fileprivate static let log = ScopeValue<Product>(.scoped) { Product($0.path) }
    fileprivate static let fresh = ScopeValue(.transient) { scope in Product(scope.path) }
    fileprivate static let settings = ScopeValue(Settings())
    fileprivate static let action = ScopeValue<@Sendable () -> Int>({ 7 }, name: "action")
    fileprivate static let first = ScopeValue(1, name: "first")
    fileprivate static let second = ScopeValue(2, name: "second")
    fileprivate static let twin = ScopeValue("notes.db")
}

@Suite("Values that are declared in one line")
struct OneLineValueTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let request: EnvironmentScope

    init() { request = EnvironmentScope.empty("request", parent: app) }

    // MARK: Members

    @Test("Values are read and set as members")
    func members() {
        #expect(app.number == 8080)
        app.number = 9090
        request.path = "other.db"
        #expect(request.number == 9090)
        #expect(request.store.path == "other.db")
        #expect(app.store.path == "notes.db")
        request.store = MemoryStore()
        #expect(request.store.path == "memory")
    }

    @Test("An optional value is nil until it is set, and may be set to nil again")
    func optional() {
        #expect(app.guest == nil)
        app.guest = User(name: "Ada")
        #expect(request.guest?.name == "Ada")
        request.guest = nil
        #expect(request.guest == nil)
        #expect(app.guest?.name == "Ada")
    }

    @Test("Setting a part sets a copy of the whole in that scope")
    func parts() {
        request.settings.url = "https://example.org"
        request.settings.retries += 1
        #expect(request.settings == Settings(url: "https://example.org", retries: 4))
        #expect(app.settings == Settings())
    }

    @Test("A function is a value too")
    func functions() {
        #expect(app.action() == 7)
        app.action = { 8 }
        #expect(request.action() == 8)
    }

    @Test("Two values with the same declaration are two values")
    func identity() {
        app.twin = "twin.db"
        #expect(app.path == "notes.db")
        #expect(app.twin == "twin.db")
    }

    @Test("The lifetime says where a value is kept")
    func lifetimes() {
        #expect(request.log !== app.log)
        #expect(request.log === request.log)
        #expect(request.fresh !== request.fresh)
        #expect(request.store.path == "notes.db")
        #expect(app.localValue(for: \.store) != nil)
    }

    // MARK: Every operation, by path and by value

    @Test("value(for:) returns the value, or throws")
    func value() throws {
        #expect(try request.value(for: \.number) == 8080)
        #expect(try request.value(for: ScopeValues.number) == 8080)
        #expect(throws: ScopeError.self) { try request.value(for: \.secret) }
        app.secret = Token(text: "secret")
        #expect(try request.value(for: \.secret).text == "secret")
    }

    @Test("valueIfAny returns the value, or nil")
    func valueIfAny() throws {
        #expect(try request.valueIfAny(\.secret) == nil)
        #expect(try request.valueIfAny(ScopeValues.number) == 8080)
    }

    @Test("localValue returns what the scope itself holds")
    func localValue() {
        #expect(app.localValue(for: \.path) == nil)
        #expect(request.path == "notes.db")
        #expect(app.localValue(for: \.path) == "notes.db")
        #expect(request.localValue(for: \.path) == nil)
        #expect(app.localValue(for: ScopeValues.path) == "notes.db")
    }

    @Test("inherited returns the value past the scope's own")
    func inherited() throws {
        request.path = "request.db"
        #expect(try request.inherited(\.path) == "notes.db")
        app.path = "app.db"
        #expect(try request.inherited(ScopeValues.path) == "app.db")
    }

    @Test("provide adds a builder")
    func provide() {
        app.provide(\.path) { scope in "\(scope.number).db" }
        app.provide(ScopeValues.twin) { scope in scope.path }
        #expect(request.store.path == "8080.db")
        request.number = 1
        #expect(request.twin == "1.db")
        #expect(app.twin == "8080.db")
    }

    @Test("removeValue removes the value, and returns it")
    func removeValue() {
        app.path = "app.db"
        #expect(request.removeValue(for: \.path) == nil)
        #expect(app.removeValue(for: \.path) == "app.db")
        #expect(app.removeValue(for: ScopeValues.path) == nil)
        #expect(app.path == "notes.db")
    }

    @Test("with sets the value and returns the scope")
    func with() {
        let scope = EnvironmentScope.empty("scope", parent: app)
            .with(\.number, 1).with(ScopeValues.path, "scope.db").with(\.settings.url, "x")
        #expect(scope.number == 1)
        #expect(scope.path == "scope.db")
        #expect(scope.settings == Settings(url: "x"))
    }

    @Test("alias makes one value a name of another")
    func alias() {
        app.alias(\.first, to: \.second)
        app.alias(ScopeValues.path, to: ScopeValues.twin)
        request.first = 5
        app.twin = "twin.db"
        #expect([request.first, request.second, app.first, app.second] == [5, 5, 2, 2])
        #expect(request.store.path == "twin.db")
    }

    @Test("validate reports every value that does not resolve")
    func validate() throws {
        try request.validate(\.number, \.store, \.guest)
        app.provide(\.path) { scope in try scope.value(for: \.secret).text }
        let error = try #require(throws: ScopeError.self) { try request.validate(\.secret, \.number, \.path) }
        #expect(error.failures.map(\.code) == [.missingValue, .missingValue])
        let single = try #require(throws: ScopeError.self) { try request.validate(ScopeValues.secret) }
        #expect(single.code == .missingValue)
        #expect(throws: ScopeError.self) { try request.validate() }
    }

    @Test("explain says where the value comes from")
    func explain() {
        app.first = 3
        #expect(request.explain(\.first).description == #"first (Int): set in "app""#)
        #expect(request.explain(ScopeValues.first).description == request.explain(\.first).description)
    }

    @Test("The subscript reads and sets the value")
    func subscripts() {
        request[\.number] = 1
        request[ScopeValues.path] = "request.db"
        #expect(request[\.number] == 1)
        #expect(request[ScopeValues.number] == 1)
        #expect(request[\.store].path == "request.db")
        #expect([ScopeValues.first, ScopeValues.second].map { app[$0] } == [1, 2])
    }

    @Test("References read a value by path, by the value itself and by a longer path")
    func references() {
        struct Handler {
            @Injected(\.number) var number
            @Injected(\.guest?.name) var userName
            let path = Injected(value: ScopeValues.path)
        }
        let handler = Handler()
        app.guest = User(name: "Ada")
        request.number = 5
        request {
            #expect(handler.number == 5)
            #expect(handler.userName == "Ada")
            #expect(handler.path() == "notes.db")
        }
        #expect(Injected(\.number, scope: request)() == 5)
    }

    // MARK: Texts

    @Test("A value without a name is named by its declaration, and one with a name by that")
    func names() throws {
        let line = #line + 1
        let unnamed = ScopeValue<Settings>.required()
        let error = try #require(throws: ScopeError.self) { try request.value(for: unnamed) }
        #expect(error.key == "the Settings declared at ScopedInjectionTests/OneLineValueTests.swift:\(line)")
        #expect(error.valueType == "Settings")
        let named = try #require(throws: ScopeError.self) { try request.value(for: \.secret) }
        #expect(named.key == "secret")
        #expect(named.description.hasPrefix("No value for secret (Token): nothing is set or provided"))
        #expect(named.description.contains(#"Searched: "request" → "app""#))
    }

    @Test("Explanations, graphs and events call a value by its name, or else by its declaration")
    func namesWhereverShown() throws {
        let line = #line + 1
        let unnamed = ScopeValue { scope in Product("\(scope.first)") }
        let place = "ScopedInjectionTests/OneLineValueTests.swift:\(line)"
        let name = "the Product declared at \(place)"
        let events = Log()
        app.observe { event in event.key.map { events.add($0) } }
        app.first = 2
        _ = app[unnamed]
        #expect(
            app.explain(unnamed).description == """
                \(name): its own default, built and kept in "app"
                  first (Int): set in "app"
                  rebuilt when one of these changes: first
                """
        )
        #expect(events.lines == [name])
        #expect(app.graph.nodes.map(\.key).sorted() == ["first", name])
        #expect(app.graph.mermaid.contains("Product<br/><small>\(place)</small>"))
    }

    @Test("A cycle names all its values, in order")
    func cycle() throws {
        app.provide(\.first) { scope in try scope.value(for: \.second) }
        app.provide(\.second) { scope in try scope.value(for: \.first) }
        let error = try #require(throws: ScopeError.self) { try request.value(for: \.first) }
        #expect(error.code == .cycle)
        #expect(error.path == ["first", "second", "first"])
    }

    // MARK: Where defaults are forbidden

    @Test("A constant that is safe in tests, or nil, may be used where defaults are forbidden; a builder may not")
    func policies() throws {
        let test = EnvironmentScope.empty("test", parent: nil, defaults: .forbidden)
        #expect(test.number == 8080)
        #expect(test.guest == nil)
        for read in [{ _ = try test.value(for: \.path) }, { _ = try test.value(for: \.store) }] {
            let error = try #require(throws: ScopeError.self) { try read() }
            #expect(error.code == .defaultForbidden)
        }
        let required = try #require(throws: ScopeError.self) { try test.value(for: \.secret) }
        #expect(required.code == .missingValue)
    }
}
