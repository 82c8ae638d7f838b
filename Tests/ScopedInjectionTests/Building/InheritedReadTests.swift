import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let label = ScopeValue("label")
    fileprivate static let nickname = ScopeValue("alias")
    fileprivate static let greeting = ScopeValue("none")
    fileprivate static let ofOwn: ScopeValue<String> = ScopeValue { scope in try scope.inherited(\.ofOwn) }
    fileprivate static let level = ScopeValue(1)
    fileprivate static let made = ScopeValue(Product("made"))
    fileprivate static let heir = ScopeValue(Product("heir"))
    fileprivate static let scoped = ScopeValue(.scoped) { scope in Product("scoped \(scope.level)") }
    fileprivate static let transient = ScopeValue(.transient) { scope in Product("transient \(scope.level)") }
}

@Suite("R14: inheriting outside of builders, other values, and other lifetimes")
struct InheritedReadTests {
    private let root = EnvironmentScope("root", parent: nil) { $0.label = "root" }
    private let app: EnvironmentScope
    private let request: EnvironmentScope

    init() {
        app = EnvironmentScope("app", parent: root) { $0.label = "app" }
        request = EnvironmentScope.empty("request", parent: app)
    }

    // MARK: Outside of builders

    @Test("Outside of a builder it is a read past the scope itself")
    func outside() throws {
        #expect(try app.inherited(\.label) == "root")
        #expect(try request.inherited(\.label) == "app")
        #expect(try root.inherited(\.label) == "label")
        request.provide(\.label) { _ in "request" }
        #expect(request.label == "request")
        #expect(try request.inherited(\.label) == "app")
        root.label = "other"
        #expect(try app.inherited(\.label) == "other")
    }

    @Test("It does not change the values of the scopes")
    func noTraces() throws {
        #expect(try root.inherited(\.label) == "label")
        #expect(try app.inherited(\.level) == 1)
        #expect([root.label, app.label, request.label] == ["root", "app", "app"])
        #expect(app.localValue(for: \.level) == nil)
        root.level = 2
        #expect(try app.inherited(\.level) == 2)
    }

    @Test("Each way to name a value inherits in the same way")
    func spellings() throws {
        #expect(try app.inherited(\.label) == app.inherited(ScopeValues.label))
        root.port = 1
        app.port = 2
        #expect(try app.inherited(PortKey.self) == 1)
    }

    @Test("It is an error if the parent is gone")
    func goneParent() throws {
        var parent: EnvironmentScope? = EnvironmentScope.empty("parent", parent: nil)
        let scope = EnvironmentScope("scope", parent: parent) { $0.label = "scope" }
        #expect(try scope.inherited(\.label) == "label")
        parent = nil
        let error = try #require(throws: ScopeError.self) { try scope.inherited(\.label) }
        #expect(error.code == .parentReleased)
        #expect(scope.label == "scope")
    }

    // MARK: In builders

    @Test("A builder inherits another value from past the scope that provided the builder")
    func otherValue() {
        app.provide(\.greeting) { scope in try "hello " + scope.inherited(\.label) }
        #expect(app.greeting == "hello root")
        #expect(request.greeting == "hello root")
        root.label = "other"
        #expect(request.greeting == "hello other")
        app.removeValue(for: \.label)
        #expect(app.greeting == "hello other")
    }

    @Test("The same if that scope does not decide on the other value, in any order", arguments: [true, false])
    func otherValueInAnyOrder(isReadFirst: Bool) {
        app.removeValue(for: \.label)
        request.label = "request"
        app.provide(\.greeting) { scope in try scope.inherited(\.label) }
        if isReadFirst { #expect(request.greeting == "root") }
        app.label = "app"
        #expect(request.greeting == "root")
        #expect(app.greeting == "root")
        root.label = "other"
        #expect(request.greeting == "other")
        app.removeValue(for: \.label)
        #expect(request.greeting == "other")
        let part = EnvironmentScope.empty("part", parent: request)
        part.provide(\.greeting) { scope in try scope.inherited(\.label) }
        #expect(part.greeting == "request")
        #expect(request.greeting == "other")
    }

    @Test("What the scopes say that it passes is no input, and nothing is built again for it")
    func passedScopes() {
        let request = EnvironmentScope("request", parent: request) { $0.level = 2 }
        let builds = Box(0)
        root.provide(\.made) { scope in
            builds.value += 1
            return Product("made \(scope.level)")
        }
        app.provide(\.heir) { scope in
            builds.value += 1
            return Product("heir of " + (try scope.inherited(\.made).text))
        }
        let first = request.heir
        #expect(first.text == "heir of made 2")
        for scope in [request, self.request, app] {
            scope.made = Product("passed")
            #expect(request.heir === first)
            scope.removeValue(for: \.made)
            #expect(request.heir === first)
        }
        #expect(builds.value == 2)
    }

    @Test("Builders of two scopes that inherit the same value each have their own")
    func otherValueOfTwoScopes() {
        let builds = Box(0)
        app.removeValue(for: \.label)
        app.label = "app"
        for scope in [app, request] {
            scope.provide(\.greeting) { scope in
                builds.value += 1
                return try scope.inherited(\.label) + " " + scope.inherited(\.greeting)
            }
        }
        for _ in 0..<2 {
            #expect(request.greeting == "app root none")
            #expect(app.greeting == "root none")
        }
        #expect(builds.value == 2)
        request.level = 7
        root.provide(\.label) { scope in "level \(scope.level)" }
        for _ in 0..<2 {
            #expect(request.greeting == "app level 7 none")
            #expect(app.greeting == "level 1 none")
        }
        #expect(builds.value == 5)
    }

    @Test("A builder that inherits the same value past two scopes depends on what either sees")
    func pastTwoScopes() {
        app.removeValue(for: \.label)
        app.provide(\.transient) { scope in try Product(scope.inherited(\.label)) }
        request.provide(\.transient) { scope in
            try scope.level == 1 ? scope.inherited(\.transient) : Product(scope.inherited(\.label))
        }
        request.provide(\.greeting) { scope in
            let part = EnvironmentScope("part", parent: scope) { $0.level = 2 }
            part.provide(\.transient) { scope in try scope.inherited(\.transient) }
            return "\(scope.transient.text), \(part.transient.text)"
        }
        #expect(request.greeting == "root, root")
        app.label = "app"
        #expect(request.greeting == "root, app")
    }

    @Test("A key's own builder has no decision to skip, so the value needs itself")
    func ownBuilder() throws {
        let error = try #require(throws: ScopeError.self) { try request.value(for: \.ofOwn) }
        #expect(error.code == .cycle)
        root.ofOwn = "root"
        #expect(request.ofOwn == "root")
    }

    @Test("Inheriting follows an alias further out, with the inputs of the asking scope")
    func aliasFurtherOut() throws {
        app.provide(\.nickname) { scope in try scope.inherited(\.nickname) + " app" }
        root.alias(\.nickname, to: \.label)
        #expect(request.nickname == "app app")
        app.removeValue(for: \.label)
        #expect(request.nickname == "root app")
        root.label = "changed"
        #expect(request.nickname == "changed app")
        #expect(try app.inherited(\.nickname) == "changed")
        request.label = "request"
        #expect(request.nickname == "request app")
    }

    @Test("Inheriting skips an alias of the scope itself")
    func aliasOfScope() throws {
        root.nickname = "set"
        app.alias(\.nickname, to: \.label)
        #expect(app.nickname == "app")
        #expect(try app.inherited(\.nickname) == "set")
    }

    // MARK: Lifetimes

    @Test("A scoped value is inherited for each scope that asks")
    func scoped() throws {
        app.provide(\.scoped) { scope in Product(try scope.inherited(\.scoped).text + " app") }
        let sibling = EnvironmentScope("sibling", parent: app) { $0.level = 2 }
        #expect(request.scoped.text == "scoped 1 app")
        #expect(sibling.scoped.text == "scoped 2 app")
        #expect(request.scoped === request.scoped)
        #expect(request.scoped !== app.scoped)
        #expect(root.scoped.text == "scoped 1")
        root.scoped = Product("set")
        #expect(request.scoped.text == "set app")
        #expect(sibling.scoped.text == "set app")
    }

    @Test("An inherited transient value is built at each read")
    func transient() throws {
        app.provide(\.transient) { scope in Product(try scope.inherited(\.transient).text + " app") }
        #expect(request.transient.text == "transient 1 app")
        #expect(request.transient !== request.transient)
        request.level = 2
        #expect(request.transient.text == "transient 2 app")
        root.transient = Product("set")
        #expect(request.transient.text == "set app")
        #expect(try app.inherited(\.transient).text == "set")
    }

    @Test("A value built from an inherited transient value follows its inputs")
    func builtFromTransient() {
        app.provide(\.transient) { scope in Product(try scope.inherited(\.transient).text + " app") }
        app.provide(\.greeting) { scope in scope.transient.text }
        #expect(request.greeting == "transient 1 app")
        root.level = 2
        #expect(request.greeting == "transient 2 app")
        request.level = 3
        #expect(request.greeting == "transient 3 app")
        #expect(app.greeting == "transient 2 app")
    }

    @Test("A shared default that a decoration inherits is rebuilt only where its inputs differ")
    func placeOfInherited() {
        let builds = Box(0)
        root.provide(\.greeting) { scope in
            builds.value += 1
            return "level \(scope.level)"
        }
        app.provide(\.greeting) { scope in try scope.inherited(\.greeting) + " app" }
        let others = (0..<3).map { EnvironmentScope.empty("\($0)", parent: app) }
        for scope in others { #expect(scope.greeting == "level 1 app") }
        #expect(root.greeting == "level 1")
        #expect(builds.value == 1)
        request.level = 2
        #expect(request.greeting == "level 2 app")
        #expect(request.greeting == "level 2 app")
        #expect(builds.value == 2)
    }
}
