import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let label = ScopeValue("label")
    fileprivate static let level = ScopeValue(1)
    fileprivate static let shown = ScopeValue { scope in "level \(scope.level)" }
    fileprivate static let product = ScopeValue { scope in Product("service") }
    fileprivate static let secret = ScopeValue<String>.required()
    fileprivate static let names = ScopeValue<[String]>([])
    fileprivate static let other = ScopeValue("other")
    fileprivate static let greeting = ScopeValue("none")
}

extension EnvironmentScope {
    /// Decorates the value further out with the scope's name.
    fileprivate func decorate(_ value: any KeyPath<ScopeValues.Type, ScopeValue<String>> & Sendable) {
        let name = name ?? ""
        provide(value) { scope in try scope.inherited(value) + " " + name }
    }
}

@Suite("R14: inherited returns what a scope sees without its own value")
struct InheritedTests {
    private let root = EnvironmentScope.empty("root", parent: nil)
    private let app: EnvironmentScope
    private let request: EnvironmentScope

    init() {
        app = EnvironmentScope.empty("app", parent: root)
        request = EnvironmentScope.empty("request", parent: app)
    }

    // MARK: In builders

    @Test("A builder decorates the value that its scope's parent sees")
    func decoration() {
        root.label = "root"
        app.decorate(\.label)
        #expect(root.label == "root")
        #expect(app.label == "root app")
        #expect(request.label == "root app")
    }

    @Test("If no scope further out decides, it decorates the default")
    func decoratedDefault() {
        app.decorate(\.label)
        #expect(root.label == "label")
        #expect(request.label == "label app")
    }

    @Test("In a standalone scope it decorates the default")
    func withoutParent() {
        root.decorate(\.label)
        #expect(root.label == "label root")
        root.provide(\.secret) { scope in try scope.inherited(\.secret) }
        #expect(throws: ScopeError.self) { try root.value(for: \.secret) }
    }

    @Test("Decorations of three scopes nest, whichever is read first", arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
    func nested(order: [Int]) {
        for scope in [root, app, request] { scope.decorate(\.label) }
        let expected = ["label root", "label root app", "label root app request"]
        for index in order { #expect([root, app, request][index].label == expected[index]) }
    }

    @Test("A decoration follows changes further out", arguments: [false, true])
    func following(isReadFirst: Bool) {
        app.decorate(\.label)
        request.decorate(\.label)
        if isReadFirst { #expect(request.label == "label app request") }
        root.label = "root"
        #expect(request.label == "root app request")
        root.provide(\.label) { scope in scope.other }
        #expect(request.label == "other app request")
        root.other = "changed"
        #expect(request.label == "changed app request")
        app.removeValue(for: \.label)
        #expect(request.label == "changed request")
        app.label = "app"
        #expect(request.label == "app request")
        #expect(app.label == "app")
    }

    @Test("An inherited value is built with the inputs of the asking scope", arguments: [false, true])
    func overriddenInput(isReadFirst: Bool) {
        root.provide(\.shown) { scope in "root \(scope.level)" }
        app.decorate(\.shown)
        if isReadFirst { #expect(request.shown == "root 1 app") }
        request.level = 2
        #expect(request.shown == "root 2 app")
        #expect(app.shown == "root 1 app")
        #expect(root.shown == "root 1")
        request.removeValue(for: \.level)
        #expect(request.shown == "root 1 app")
    }

    @Test("The same for a default, and for decorations in between")
    func overriddenInputOfDefault() {
        app.decorate(\.shown)
        request.decorate(\.shown)
        let part = EnvironmentScope("part", parent: request) { $0.level = 2 }
        #expect(part.shown == "level 2 app request")
        #expect(request.shown == "level 1 app request")
        app.level = 3
        #expect(request.shown == "level 3 app request")
        #expect(part.shown == "level 2 app request")
        #expect(root.shown == "level 1")
    }

    @Test("Siblings share the decorated value, and the values it is built from")
    func siblings() {
        let builds = Box(0)
        app.provide(\.product) { scope in
            builds.value += 1
            return Product(try scope.inherited(\.product).text + " app")
        }
        let sibling = EnvironmentScope.empty("sibling", parent: app)
        #expect(request.product === sibling.product)
        #expect(request.product === app.localValue(for: \.product))
        #expect(request.product.text == "service app")
        #expect(builds.value == 1)
    }

    @Test("The inherited value is the same instance that the parent returns", arguments: [true, false])
    func sameInstance(isParentFirst: Bool) {
        let seen = Box<Product?>(nil)
        app.provide(\.product) { scope in
            let inherited = try scope.inherited(\.product)
            seen.value = inherited
            return Product("decorated")
        }
        if isParentFirst { _ = root.product }
        _ = request.product
        #expect(seen.value === root.product)
    }

    @Test("A scope keeps what decorations further out inherit for all scopes below it", arguments: [true, false])
    func keptForAll(isInnerFirst: Bool) {
        let part = EnvironmentScope.empty("part", parent: request)
        let builds = Box(0)
        root.provide(\.product) { scope in
            builds.value += 1
            return Product("level \(scope.level)")
        }
        app.provide(\.product) { scope in
            builds.value += 1
            return Product(try scope.inherited(\.product).text + " app")
        }
        // Built for each scope that asks, because of the parent.
        for scope in [request, part] {
            scope.provide(\.product) { scope in
                Product(try scope.inherited(\.product).text + " below \(scope.parent?.name ?? "")")
            }
        }
        request.level = 2
        let scopes = isInnerFirst ? [part, request] : [request, part]
        let products = scopes.map(\.product)
        #expect(part.product.text == "level 2 app below request below request")
        #expect(request.product.text == "level 2 app below app")
        #expect(builds.value == 2)
        for other in ["one", "two"] {
            root.other = other
            for (scope, product) in zip(scopes, products) { #expect(scope.product === product) }
        }
        #expect(builds.value == 2)
    }

    @Test("A value that a nearer scope sets is not decorated from further out")
    func nearerWins() {
        app.decorate(\.label)
        request.label = "request"
        #expect(request.label == "request")
        request.removeAll()
        #expect(request.label == "label app")
    }

    @Test("A required value that no scope further out provides is missing, by its own name")
    func required() throws {
        app.provide(TokenKey.self) { scope in Token(text: try scope.inherited(TokenKey.self).text + "!") }
        let error = try #require(throws: ScopeError.self) { try request.value(for: TokenKey.self) }
        #expect(error.code == .missingValue)
        #expect(error.key == "TokenKey")
        root.token = Token(text: "secret")
        #expect(request.token.text == "secret!")
    }

    @Test("A collection follows later additions further out")
    func collection() {
        root.names = ["a"]
        app.provide(\.names) { scope in try scope.inherited(\.names) + ["b"] }
        request.provide(\.names) { scope in try scope.inherited(\.names) + ["c"] }
        #expect(request.names == ["a", "b", "c"])
        root.names.append("z")
        #expect(request.names == ["a", "z", "b", "c"])
        #expect(app.names == ["a", "z", "b"])
        // From here on it is set, and follows nothing any more.
        app.names.append("y")
        root.names = []
        #expect(app.names == ["a", "z", "b", "y"])
        #expect(request.names == ["a", "z", "b", "y", "c"])
    }

    @Test("A new parent supplies another value to decorate")
    func newParent() {
        app.decorate(\.label)
        #expect(request.label == "label app")
        let other = EnvironmentScope("other", parent: nil) { $0.label = "other" }
        app.parent = other
        #expect(request.label == "other app")
        app.parent = nil
        #expect(request.label == "label app")
    }

    @Test("A default that is forbidden is not inherited")
    func forbidden() throws {
        let test = EnvironmentScope.empty("test", parent: root, defaults: .forbidden)
        test.decorate(\.label)
        let error = try #require(throws: ScopeError.self) { try test.value(for: \.label) }
        #expect(error.code == .defaultForbidden)
        root.label = "root"
        #expect(test.label == "root test")
    }

    @Test("A builder that needs what it decorates in a circle is an error, not a hang")
    func circle() throws {
        root.provide(\.label) { scope in try scope.value(for: \.other) }
        root.provide(\.other) { scope in try scope.value(for: \.label) }
        app.decorate(\.label)
        let error = try #require(throws: ScopeError.self) { try request.value(for: \.label) }
        #expect(error.code == .cycle)
    }

    @Test("Threads that read decorations while the decorated value is set see one moment")
    func threads() async {
        root.names = ["0", "0"]
        for scope in [app, request] { scope.provide(\.names) { try $0.inherited(\.names).map { "(\($0))" } } }
        await onThreads(4) { index in
            for round in 0..<500 {
                if index == 0 {
                    self.root.names = ["\(round)", "\(round)"]
                } else {
                    let names = self.request.names
                    if names[0] != names[1] || !names[0].hasPrefix("((") { Issue.record("\(names)") }
                }
            }
        }
        #expect(request.names == ["((499))", "((499))"])
    }
}
