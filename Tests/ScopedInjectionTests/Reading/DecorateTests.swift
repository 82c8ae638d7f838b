import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var plugins: ScopeValue<[String]> { .value(["core"]) }
    fileprivate static var client: ScopeValue<Product> { .lazy { Product("client of \(try $0.host)") } }
    fileprivate static var session: ScopeValue<Product> {
        .lazy(.once(in: .request)) { Product("session of \(try $0.host)") }
    }
    fileprivate static var moment: ScopeValue<Product> { .lazy(.transient) { _ in Product("now") } }
    fileprivate static var count: ScopeValue<Int> { .lazy { try $0.plugins.count } }
    fileprivate static var retries: ScopeValue<Int> { .value(5, inTests: 0) }
}

@Suite("R14: a decoration builds a value from what would be seen without it", .programRoots)
struct DecorateTests {
    private let root = EnvironmentScope.empty("root", parent: nil)
    private let app: EnvironmentScope
    private let request: EnvironmentScope

    init() {
        app = EnvironmentScope.empty("app", parent: root)
        request = EnvironmentScope.empty("request", role: .request, parent: app)
    }

    private func decorate(_ scope: EnvironmentScope) {
        let name = scope.name ?? "?"
        scope.decorate(\.plugins) { inherited, _ in inherited + [name] }
    }

    // MARK: What it inherits

    @Test("The default, what is set further out, or what is provided there") func furtherOut() {
        decorate(app)
        #expect(app.plugins == ["core", "app"])
        #expect(root.plugins == ["core"])
        root.plugins = ["set"]
        #expect(app.plugins == ["set", "app"])
        root.provide(\.plugins) { ["provided", "\(try $0.port)"] }
        #expect(app.plugins == ["provided", "8080", "app"])
        root.removeValue(for: \.plugins)
        #expect(app.plugins == ["core", "app"])
    }

    @Test("What the scope itself has set, or provided, before", arguments: [true, false])
    func before(isProvided: Bool) {
        root.plugins = ["root"]
        if isProvided { app.provide(\.plugins) { _ in ["own"] } } else { app.plugins = ["own"] }
        decorate(app)
        #expect(app.plugins == ["own", "app"])
        root.plugins = ["changed"]
        #expect(app.plugins == ["own", "app"])
    }

    @Test("The decorations that the scope was given before, one upon the other") func several() {
        for module in ["a", "b", "c"] { app.decorate(\.plugins) { inherited, _ in inherited + [module] } }
        #expect(app.plugins == ["core", "a", "b", "c"])
        root.plugins = []
        #expect(app.plugins == ["a", "b", "c"])
    }

    @Test("Those of the scopes further out, also of some that are decorated later") func nested() {
        decorate(app)
        decorate(request)
        #expect(request.plugins == ["core", "app", "request"])
        #expect(app.plugins == ["core", "app"])
        decorate(root)
        #expect(request.plugins == ["core", "root", "app", "request"])
        app.plugins = ["set"]
        #expect(request.plugins == ["set", "request"])
    }

    // MARK: Whom it serves

    @Test("Scopes further in see it, unless they say something of the value themselves") func furtherIn() {
        decorate(app)
        #expect(request.plugins == ["core", "app"])
        request.plugins = ["own"]
        #expect(request.plugins == ["own"])
        #expect(app.plugins == ["core", "app"])
    }

    @Test("The overrides of the asking scope are seen, by the builder and by what it inherits") func askingScope() {
        app.decorate(\.client) { inherited, reader in Product("\(inherited.text), port \(try reader.port)") }
        #expect(app.client.text == "client of localhost, port 8080")
        request.host = "there"
        request.port = 1
        #expect(request.client.text == "client of there, port 1")
        #expect(app.client.text == "client of localhost, port 8080")
    }

    @Test("Scopes that see the same inputs share it; what is built from it follows it") func shared() {
        app.decorate(\.client) { inherited, _ in Product("wrapped \(inherited.text)") }
        #expect(app.client === request.client && app.localValue(for: \.client) === app.client)
        decorate(app)
        #expect(request.count == 2)
        root.plugins = []
        #expect(request.count == 1)
        #expect(root.count == 0)
    }

    @Test("What lies beyond the scope is the ordinary value, shared with those further out") func beyond() {
        let inherited = Box<[Product]>([])
        app.decorate(\.client) { client, _ in
            inherited.update { $0.append(client) }
            return Product("wrapped")
        }
        _ = app.client
        #expect(inherited.value.count == 1 && inherited.value.first === root.client)
    }

    @Test("What would have to be kept nearer is a part of the decorated value") func nearer() {
        app.decorate(\.client) { inherited, _ in Product("wrapped \(inherited.text)") }
        request.host = "there"
        let decorated = request.client
        #expect(decorated.text == "wrapped client of there")
        #expect(request.client === decorated)
        #expect(root.client.text == "client of localhost")
        request.host = "here"
        #expect(request.client.text == "wrapped client of here")
    }

    @Test("A decorated value keeps its lifetime") func lifetimes() {
        app.decorate(\.session) { inherited, _ in Product("wrapped \(inherited.text)") }
        app.decorate(\.moment) { inherited, _ in Product("wrapped \(inherited.text)") }
        let session = request.session
        #expect(session.text == "wrapped session of localhost")
        root.host = "there"
        #expect(request.session === session && request.localValue(for: \.session) === session)
        #expect(request.moment.text == "wrapped now" && request.moment !== request.moment)
    }

    // MARK: What replaces it

    @Test("A builder that the scope is given later is decorated too, so modules install themselves in any order")
    func providedLater() {
        let modules: [(EnvironmentScope) -> Void] = [
            { $0.provide(\.plugins) { _ in ["live"] } },
            { $0.decorate(\.plugins) { inherited, _ in inherited + ["retry"] } },
            { $0.decorate(\.plugins) { inherited, _ in inherited + ["trace"] } },
        ]
        for order in [[0, 1, 2], [1, 0, 2], [1, 2, 0]] {
            let scope = EnvironmentScope.empty("scope", parent: root)
            for module in order {
                modules[module](scope)
                _ = scope.plugins
            }
            #expect(scope.plugins == ["live", "retry", "trace"])
        }
    }

    @Test("A builder that the scope is given later replaces the value that was set and decorated")
    func providedOverASetValue() {
        app.plugins = ["set"]
        decorate(app)
        #expect(app.plugins == ["set", "app"])
        app.provide(\.plugins) { ["\(try $0.port)"] }
        #expect(app.plugins == ["8080", "app"])
        app.port = 1
        #expect(app.plugins == ["1", "app"])
    }

    @Test("Removing the value removes the decorations") func removed() {
        app.plugins = ["own"]
        decorate(app)
        decorate(app)
        #expect(app.plugins == ["own", "app", "app"])
        app.removeValue(for: \.plugins)
        #expect(app.plugins == ["core"])
    }

    @Test("modify changes a part, and the rest follows what the value would be without it") func modifying() {
        root.user = User(name: "Ada")
        app.modify(\.plugins) { $0.append("modified") }
        app.modify({ $0.user }) { $0?.name += "!" }
        #expect(app.plugins == ["core", "modified"])
        #expect(app.user == User(name: "Ada!"))
        root.plugins = ["set"]
        #expect(app.plugins == ["set", "modified"])
        app.provide(\.plugins) { _ in ["provided"] }
        #expect(app.plugins == ["provided", "modified"])
    }

    // MARK: Errors

    @Test("A cycle that goes through decorations names each value once") func cycleOfDecorations() throws {
        app.decorate(\.main) { inherited, reader in try inherited + reader.replica }
        app.decorate(\.replica) { inherited, reader in try inherited + reader.main }
        let error = try #require(throws: ScopeError.self) { try app.value(for: \.main) }
        #expect(error.path == ["main", "replica", "main"])
    }

    @Test("Where there is nothing to decorate, the value is missing") func missing() throws {
        app.decorate(\.token) { inherited, _ in Token(text: "tagged \(inherited.text)") }
        let error = try #require(throws: ScopeError.self) { try request.value(for: \.token) }
        #expect(error.code == .missingValue && error.name == "token")
        root.token = Token(text: "root")
        #expect(request.token.text == "tagged root")
        app.decorate(\.user) { inherited, _ in inherited ?? User(name: "nobody") }
        #expect(request.user == User(name: "nobody"))
    }

    @Test("A forbidden default cannot be decorated, one for tests can") func forbidden() throws {
        let strict = EnvironmentScope.empty("strict", parent: nil, defaults: .forbidden)
        strict.decorate(\.plugins) { inherited, _ in inherited + ["strict"] }
        let error = try #require(throws: ScopeError.self) { try strict.value(for: \.plugins) }
        #expect(error.code == .defaultForbidden && error.name == "plugins")
        strict.decorate(\.retries) { inherited, _ in inherited + 1 }
        #expect(strict.retries == 1)
    }

    @Test("What the decoration throws is the error of the read, and is not kept") func throwing() throws {
        let isBroken = Box(true)
        app.decorate(\.plugins) { inherited, _ in
            if isBroken.value { throw CancellationError() }
            return inherited
        }
        let error = try #require(throws: ScopeError.self) { try app.value(for: \.plugins) }
        #expect(error.code == .makeFailed && error.underlyingError is CancellationError)
        isBroken.value = false
        #expect(app.plugins == ["core"])
    }
}
