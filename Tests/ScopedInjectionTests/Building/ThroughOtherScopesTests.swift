import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let number = ScopeValue(0)
    fileprivate static let shown = ScopeValue<Product>.required()
    fileprivate static let outer = ScopeValue<Product>.required()
    fileprivate static let brief = ScopeValue(.transient) { scope in scope.number + 100 }
}

/// Refers to a scope without keeping it alive.
private struct Weak: Sendable {
    weak let scope: EnvironmentScope?
    init(_ scope: EnvironmentScope) { self.scope = scope }
}

@Suite("R4: reads of a builder through another scope")
struct ThroughOtherScopesTests {
    private let root = EnvironmentScope.empty("root", parent: nil)
    private let app: EnvironmentScope
    private let request: EnvironmentScope
    private let elsewhere = EnvironmentScope("elsewhere", parent: nil) { $0.number = 7 }

    init() {
        app = EnvironmentScope.empty("app", parent: root)
        request = EnvironmentScope.empty("request", parent: app)
    }

    // MARK: A scope that the builder captures

    @Test("A value follows a change in a scope of another tree")
    func otherTree() {
        let elsewhere = elsewhere
        root.provide(\.shown) { _ in Product("\(elsewhere.number)") }
        let first = request.shown
        #expect(first.text == "7")
        #expect(request.shown === first)
        elsewhere.number = 8
        #expect(request.shown.text == "8")
        #expect(app.shown === request.shown)
        elsewhere.removeValue(for: \.number)
        #expect(app.shown.text == "0")
        elsewhere.provide(\.number) { _ in 9 }
        #expect(app.shown.text == "9")
    }

    @Test("It does not affect where the value is kept")
    func placeOfOtherTree() {
        let elsewhere = elsewhere
        root.provide(\.shown) { _ in Product("\(elsewhere.number)") }
        let sibling = EnvironmentScope.empty("sibling", parent: app)
        #expect(request.shown === sibling.shown)
        #expect(request.shown === root.localValue(for: \.shown))
        #expect(elsewhere.localValue(for: \.shown) == nil)
        // The number of the asking scope was not read.
        request.number = 1
        #expect(request.shown === sibling.shown)
    }

    @Test("A value follows a change above that scope, and values built there")
    func aboveOtherTree() {
        let child = EnvironmentScope.empty("child", parent: elsewhere)
        child.provide(\.outer) { scope in Product("outer \(scope.number)") }
        root.provide(\.shown) { _ in Product(child.outer.text) }
        #expect(request.shown.text == "outer 7")
        elsewhere.number = 8
        #expect(request.shown.text == "outer 8")
        child.number = 9
        #expect(request.shown.text == "outer 9")
        child.parent = nil
        child.removeAll()
        #expect(throws: ScopeError.self) { try request.inherited(\.outer) }
    }

    @Test("A value follows a captured ancestor, which does not affect where it is kept", arguments: [false, true])
    func ancestor(isOverridden: Bool) {
        let ancestor = Weak(root)
        root.number = 1
        app.provide(\.shown) { _ in Product("\(ancestor.scope?.number ?? -1)") }
        if isOverridden { request.number = 5 }
        #expect(request.shown.text == "1")
        #expect(request.shown === app.localValue(for: \.shown))
        root.number = 2
        #expect(request.shown.text == "2")
        app.number = 3
        #expect(request.shown.text == "2")
    }

    @Test("A value follows the captured asking scope, even if it is kept further out")
    func asking() {
        let asking = Weak(request)
        root.provide(\.shown) { _ in Product("\(asking.scope?.number ?? -1)") }
        request.number = 1
        #expect(request.shown.text == "1")
        #expect(root.shown === request.shown)
        request.number = 2
        #expect(root.shown.text == "2")
        app.number = 9
        #expect(root.shown.text == "2")
        request.removeAll()
        #expect(root.shown.text == "9")
    }

    @Test("A value follows a child of the scope that keeps it")
    func descendant() {
        let descendant = Weak(request)
        root.provide(\.shown) { scope in Product("\(scope.number) \(descendant.scope?.number ?? -1)") }
        request.number = 1
        #expect(app.shown.text == "0 1")
        app.number = 5
        #expect(app.shown.text == "5 1")
        #expect(root.shown.text == "0 1")
        request.removeAll()
        #expect(root.shown.text == "0 5")
        #expect(app.shown.text == "5 5")
    }

    @Test("A value does without a scope that is gone, whether it was built before or after")
    func goneScope() {
        var other: EnvironmentScope? = EnvironmentScope("other", parent: nil) { $0.number = 1 }
        let captured = Weak(other ?? root)
        root.provide(\.shown) { _ in Product("\(captured.scope?.number ?? -1)") }
        #expect(withExtendedLifetime(other) { request.shown.text } == "1")
        other = nil
        #expect(request.shown.text == "-1")
        #expect(request.shown === root.shown)
    }

    @Test("A value follows a transient value there, and one that does not resolve")
    func notKept() {
        let elsewhere = elsewhere
        root.provide(\.shown) { _ in
            Product("\(elsewhere.brief), \((try? elsewhere.value(for: \.outer))?.text ?? "none")")
        }
        #expect(request.shown.text == "107, none")
        elsewhere.number = 8
        #expect(request.shown.text == "108, none")
        elsewhere.outer = Product("outer")
        #expect(request.shown.text == "108, outer")
        elsewhere.removeAll()
        #expect(request.shown.text == "100, none")
    }

    // MARK: The parent

    @Test("A value read through the parent of the given scope belongs to the asking scope", arguments: [false, true])
    func parent(isReadFirst: Bool) {
        root.provide(\.shown) { scope in Product("\(scope.parent?.number ?? -1)") }
        app.number = 1
        request.number = 2
        if isReadFirst { #expect(request.shown.text == "1") }
        let part = EnvironmentScope.empty("part", parent: request)
        #expect(part.shown.text == "2")
        #expect(request.shown.text == "1")
        #expect(app.shown.text == "0")
        #expect(root.shown.text == "-1")
        app.number = 3
        #expect(request.shown.text == "3")
        root.number = 4
        #expect(app.shown.text == "4")
        #expect(request.shown.text == "3")
        request.parent = elsewhere
        #expect(throws: ScopeError.self) { try request.value(for: \.shown) }
    }

    @Test("A value that was read through the old parent follows a new one")
    func newParent() {
        let other = EnvironmentScope("other", parent: root) { $0.number = 5 }
        root.provide(\.shown) { scope in Product("\(scope.parent?.number ?? -1)") }
        app.number = 1
        #expect(request.shown.text == "1")
        request.parent = other
        #expect(request.shown.text == "5")
        request.parent = app
        #expect(request.shown.text == "1")
    }

    // MARK: Global

    @Test("A value follows the global scope, also a new one")
    func global() async {
        await #expect(processExitsWith: .success) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app.provide(\.shown) { _ in Product("\(EnvironmentScope.global.number)") }
            let request = EnvironmentScope("request", parent: app) { $0.number = 1 }
            #expect(request.shown.text == "0")
            EnvironmentScope.global.number = 2
            #expect(request.shown.text == "2")
            #expect(request.shown === app.shown)
            EnvironmentScope.global = EnvironmentScope("other", parent: nil) { $0.number = 3 }
            #expect(request.shown.text == "3")
            EnvironmentScope.global.number = 4
            #expect(request.shown.text == "4")
            #expect(EnvironmentScope.global.localValue(for: \.shown) == nil)
        }
    }
}
