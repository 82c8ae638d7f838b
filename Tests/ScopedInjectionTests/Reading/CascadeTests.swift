import ScopedInjection
import Testing

private struct Settings: Sendable, Equatable {
    var url = "http://localhost"
    var retries = 3
}

extension ScopeValues {
    fileprivate static var settings: ScopeValue<Settings> { .value(Settings()) }
    fileprivate static var address: ScopeValue<String> { .lazy { "\(try $0.host):\(try $0.port)" } }
    fileprivate static func flag(_ name: String) -> ScopeValue<Bool> { .value(false, id: name) }
}

@Suite("R1: the nearest scope of the chain decides", .programRoots)
struct CascadeTests {
    private let (app, request): (EnvironmentScope, EnvironmentScope)

    init() { (app, request) = makeScopes() }

    @Test("A scope returns its own value, or else its parent's, or else the default") func nearestWins() {
        #expect(request.port == 8080)
        app.port = 1
        #expect(request.port == 1)
        request.port = 3
        app.port = 2
        #expect([request.port, app.port] == [3, 2])
        request.removeValue(for: \.port)
        #expect(request.port == 2)
    }

    @Test("Setting nil is setting") func nilValue() {
        #expect(app.user == nil)
        app.user = User(name: "Ada")
        request.user = nil
        #expect(request.user == nil && request.localValue(for: \.user) == .some(nil))
        #expect(app.user == User(name: "Ada"))
    }

    @Test("Setting a part sets a copy of the whole in that scope") func parts() {
        request.settings.url = "https://example.org"
        request.settings.retries += 1
        #expect(request.settings == Settings(url: "https://example.org", retries: 4))
        #expect(app.settings == Settings())
        app.user = User(name: "Ada")
        request.user?.name = "Grace"
        #expect([request.user?.name, app.user?.name] == ["Grace", "Ada"])
    }

    @Test("Of a set and a builder in the same scope, the later one stands") func laterStands() {
        app.port = 1
        app.provide(\.port) { _ in 2 }
        #expect(app.port == 2)
        app.port = 3
        #expect(app.port == 3)
        app.provide(\.port) { _ in 4 }
        app.provide(\.port) { _ in 5 }
        #expect(app.port == 5)
        app.removeValue(for: \.port)
        #expect(app.port == 8080)
    }

    @Test("A builder further in wins over a value further out, and the other way round") func builderAndValue() {
        app.port = 1
        request.provide(\.port) { _ in 2 }
        #expect([request.port, app.port] == [2, 1])
        app.provide(\.port) { _ in 3 }
        request.port = 4
        #expect([request.port, app.port] == [4, 3])
    }

    @Test("A subscript reads and sets a value that is given as such") func subscripts() {
        app[ScopeValues.flag("beta")] = true
        request[ScopeValues.port] += 1
        #expect(request[ScopeValues.flag("beta")])
        #expect(!request[ScopeValues.flag("dark")])
        #expect([request.port, app.port] == [8081, 8080])
    }

    @Test("removeValue returns the value that was set here, and nil otherwise") func removing() {
        app.port = 1
        #expect(request.removeValue(for: \.port) == nil)
        #expect(app.removeValue(for: \.port) == 1)
        #expect(app.removeValue(for: \.port) == nil)
        #expect(app.port == 8080)
    }

    @Test("localValue is what is set or kept in the scope itself, and builds nothing") func localValue() {
        #expect(app.localValue(for: \.address) == nil)
        #expect(request.address == "localhost:8080")
        #expect(app.localValue(for: \.address) == "localhost:8080")
        #expect(request.localValue(for: \.address) == nil)
        request.port = 1
        #expect(request.localValue(for: \.port) == 1)
        #expect(request.localValue(for: \.address) == nil)
    }
}

@Suite("with(_:_:) sets a value, or a part of one, and returns the scope", .programRoots)
struct WithTests {
    private let app = EnvironmentScope.empty("app", parent: nil)

    @Test("with takes a path or a value, one after the other") func chained() {
        let scope = EnvironmentScope.empty("scope", parent: app).with(\.port, 1).with({ $0.flag("beta") }, true)
        #expect(scope.port == 1)
        #expect(scope[ScopeValues.flag("beta")])
        #expect(app.port == 8080)
    }

    @Test("A longer path changes a copy of what the scope sees") func longPath() {
        app.with(\.settings.retries, 5)
        let scope = EnvironmentScope.empty("scope", parent: app).with(\.settings.url, "here")
        #expect(scope.settings == Settings(url: "here", retries: 5))
        #expect(app.settings == Settings(retries: 5))
    }

    @Test("A value that is missing, forbidden, or costly to build is set without a read") func unread() {
        let builds = Box(0)
        app.provide(\.host) { _ in
            builds.update { $0 += 1 }
            return "built"
        }
        let strict = EnvironmentScope.empty("strict", parent: app, defaults: .forbidden)
        strict.with(\.token, Token(text: "t")).with(\.port, 1).with(\.host, "set").with(\.user, nil)
        #expect(strict.token.text == "t")
        #expect(strict.port == 1)
        #expect(strict.host == "set")
        #expect(strict.localValue(for: \.user) == .some(nil))
        #expect(builds.value == 0)
    }
}
