import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let number = ScopeValue(0)
    fileprivate static let shown = ScopeValue<Product>.required()
    fileprivate static let outer = ScopeValue<Product>.required()
    fileprivate static let inner = ScopeValue<Product>.required()
    fileprivate static let keeper = ScopeValue { scope in Keeper(scope) }
    fileprivate static let ofKeeper = ScopeValue { scope in Product("\(scope.keeper.scope.number)") }
    fileprivate static let brief = ScopeValue(.transient) { scope in scope.number + 100 }
}

/// A value that keeps the scope it was built in.
private final class Keeper: Sendable {
    let scope: EnvironmentScope
    init(_ scope: EnvironmentScope) { self.scope = scope }
}

/// Refers to a scope without keeping it.
private struct Weak: Sendable {
    weak let scope: EnvironmentScope?
    init(_ scope: EnvironmentScope) { self.scope = scope }
}

@Suite("R4: what a builder reads through another scope")
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

    @Test("A change in a scope of another tree is followed")
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

    @Test("It has no say in where the value is kept")
    func placeOfOtherTree() {
        let elsewhere = elsewhere
        root.provide(\.shown) { _ in Product("\(elsewhere.number)") }
        let sibling = EnvironmentScope.empty("sibling", parent: app)
        #expect(request.shown === sibling.shown)
        #expect(request.shown === root.localValue(for: \.shown))
        #expect(elsewhere.localValue(for: \.shown) == nil)
        // What the asking scope says of the number was not asked.
        request.number = 1
        #expect(request.shown === sibling.shown)
    }

    @Test("A change above that scope, and what is built there, is followed too")
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

    @Test("An ancestor that the builder captures is followed, and has no say", arguments: [false, true])
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

    @Test("The scope that asks, captured, is followed, though the value may lie further out")
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

    @Test("A child of the scope that keeps the value is followed")
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

    @Test("A scope that is gone says nothing new")
    func goneScope() {
        var other: EnvironmentScope? = EnvironmentScope("other", parent: nil) { $0.number = 1 }
        let captured = Weak(other ?? root)
        root.provide(\.shown) { _ in Product("\(captured.scope?.number ?? -1)") }
        #expect(withExtendedLifetime(other) { request.shown.text } == "1")
        other = nil
        #expect(request.shown.text == "1")
    }

    @Test("A transient value, and one that cannot be had, are followed there as well")
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

    @Test("What is read through the parent of the builder's scope is the asking scope's own", arguments: [false, true])
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

    @Test("A new parent is followed by what was read through the old one")
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

    @Test("What is read through the global scope is followed, to a new one too")
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

    // MARK: Scopes of other values, and of the builder itself

    @Test("What is read through a scope that another value kept is followed")
    func keptScope() {
        app.number = 1
        #expect(request.ofKeeper.text == "0")
        root.number = 2
        #expect(request.ofKeeper.text == "2")
        #expect(request.keeper === root.localValue(for: \.keeper))
        #expect(request.ofKeeper === root.localValue(for: \.ofKeeper))
    }

    @Test("What is read through a scope that the builder made is followed to where that leads")
    func madeScope() {
        let elsewhere = elsewhere
        root.provide(\.shown) { _ in
            let made = EnvironmentScope("made", parent: elsewhere) { $0.host = "made" }
            return Product("\(made.host) \(made.number)")
        }
        #expect(request.shown.text == "made 7")
        #expect(request.shown === root.localValue(for: \.shown))
        elsewhere.host = "elsewhere"
        let kept = request.shown
        #expect(kept.text == "made 7")
        elsewhere.number = 8
        #expect(request.shown.text == "made 8")
    }

    @Test("A scope that the builder made on its own has no say at all")
    func standaloneScope() {
        root.provide(\.shown) { _ in
            Product("\(EnvironmentScope("made", parent: nil) { $0.number = 3 }.number)")
        }
        let shown = request.shown
        #expect(shown.text == "3")
        root.number = 1
        request.number = 2
        #expect(request.shown === shown)
        #expect(root.shown === shown)
    }

    @Test("What a child of the builder's scope does not say itself is read by the asking scope")
    func childOfBuilder() {
        root.provide(\.shown) { scope in
            let child = EnvironmentScope("child", parent: scope) { $0.host = "child" }
            let grandchild = EnvironmentScope.empty("grandchild", parent: child)
            return Product("\(grandchild.host) \(child.number)")
        }
        let shown = request.shown
        #expect(shown.text == "child 0")
        #expect(shown === root.localValue(for: \.shown))
        request.host = "request"
        #expect(request.shown === shown)
        request.number = 1
        #expect(request.shown.text == "child 1")
        #expect(request.shown === request.localValue(for: \.shown))
        root.number = 2
        #expect(app.shown.text == "child 2")
        #expect(request.shown.text == "child 1")
    }

    @Test("A value that is built for the child is followed like one that is read there")
    func builtForChild() {
        root.provide(\.outer) { scope in Product("\(scope.host) \(scope.number)") }
        root.provide(\.shown) { scope in
            Product(EnvironmentScope("child", parent: scope) { $0.host = "child" }.outer.text)
        }
        #expect(request.shown.text == "child 0")
        root.number = 1
        #expect(request.shown.text == "child 1")
        request.number = 2
        #expect(request.shown.text == "child 2")
        #expect(app.shown.text == "child 1")
        root.provide(\.outer) { _ in Product("other") }
        #expect(request.shown.text == "other")
    }

    @Test("The same of a value that is built for the child from another one of the child's own")
    func builtFromBuiltForChild() {
        root.provide(\.inner) { scope in Product("\(scope.host) \(scope.number)") }
        root.provide(\.outer) { scope in Product("\(scope.inner.text) of \(scope.host)") }
        root.provide(\.shown) { scope in
            Product(EnvironmentScope("child", parent: scope) { $0.host = "child" }.outer.text)
        }
        #expect(request.shown.text == "child 0 of child")
        root.number = 1
        #expect(request.shown.text == "child 1 of child")
    }

    @Test("Through a scope that another value kept no read mixes two moments", arguments: [true, false])
    func momentsOfKeptScope(isKept: Bool) {
        root.provide(\.shown) { scope in
            let first = scope.number
            for _ in 0..<20 { _ = scope.host }
            return Product("\(first) \(scope.number)")
        }
        let root = root
        let scope = isKept ? root.keeper.scope : root
        onThreads(3) { index in
            for round in 0..<1_000 {
                if index == 0 {
                    root.number = round
                } else {
                    let parts = scope.shown.text.split(separator: " ")
                    if parts[0] != parts[1] { Issue.record("\(parts)") }
                }
            }
        }
        #expect(scope.shown.text == "999 999")
    }
}
