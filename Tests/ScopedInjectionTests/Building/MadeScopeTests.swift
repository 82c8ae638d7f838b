import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let number = ScopeValue(0)
    fileprivate static let shown = ScopeValue<Product>.required()
    fileprivate static let inner = ScopeValue<Product>.required()
    fileprivate static let outer = ScopeValue<Product>.required()
    fileprivate static let keeper = ScopeValue { scope in Keeper(scope) }
    fileprivate static let maker = ScopeValue { _ in Keeper(EnvironmentScope("made", parent: nil) { $0.number = 1 }) }
    fileprivate static let ofMaker = ScopeValue { scope in Product("\(scope.maker.scope.number)") }
    fileprivate static let ofKeeper = ScopeValue { scope in Product("\(scope.keeper.scope.number)") }
}

/// A value that keeps a scope.
private final class Keeper: Sendable {
    let scope: EnvironmentScope
    init(_ scope: EnvironmentScope) { self.scope = scope }
}

@Suite("R4: reads of a builder through scopes of other values, and through scopes it made")
struct MadeScopeTests {
    private let root = EnvironmentScope.empty("root", parent: nil)
    private let app: EnvironmentScope
    private let request: EnvironmentScope
    private let elsewhere = EnvironmentScope("elsewhere", parent: nil) { $0.number = 7 }

    init() {
        app = EnvironmentScope.empty("app", parent: root)
        request = EnvironmentScope.empty("request", parent: app)
    }

    @Test("A read through a scope that another value kept is an input")
    func keptScope() {
        app.number = 1
        #expect(request.ofKeeper.text == "0")
        root.number = 2
        #expect(request.ofKeeper.text == "2")
        #expect(request.keeper === root.localValue(for: \.keeper))
        #expect(request.ofKeeper === root.localValue(for: \.ofKeeper))
    }

    @Test("A read through a scope that the builder of another value has made is an input")
    func scopeThatAnotherBuilderMade() {
        // On one thread, right after the other, where the second build would take the place of the first.
        _ = request.maker
        #expect(request.ofMaker.text == "1")
        request.maker.scope.number = 2
        #expect(request.ofMaker.text == "2")
    }

    @Test("A read through a scope that the builder made is an input if it leads outside")
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

    @Test("A standalone scope that the builder made is no input")
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

    @Test("A child of the builder's scope reads what it does not set from the asking scope")
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

    @Test("A value built for the child is an input, like one that is read there")
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

    @Test("The same for a value built for the child from another one of the child's own")
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

    @Test("A builder that is provided for such a value later takes effect")
    func providedForChild() {
        root.provide(\.shown) { scope in Product("\(scope.number)") }
        root.provide(\.inner) { scope in Product("inner \(scope.shown.text)") }
        root.provide(\.outer) { scope in EnvironmentScope("made", parent: scope) { $0.number = 1 }.inner }
        #expect(request.outer.text == "inner 1")
        app.provide(\.shown) { _ in Product("other") }
        #expect(request.outer.text == "inner other")
    }

    @Test("Through a scope that another value kept no read mixes two moments", arguments: [true, false])
    func momentsOfKeptScope(isKept: Bool) async {
        root.provide(\.shown) { scope in
            let first = scope.number
            for _ in 0..<20 { _ = scope.host }
            return Product("\(first) \(scope.number)")
        }
        let root = root
        let scope = isKept ? root.keeper.scope : root
        await onThreads(3) { index in
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

    private static let identity = ScopeValue(.scoped, isSafeInTests: true) { _ in 1 }
    private static let plain = ScopeValue(.transient) { $0[identity] + $0.number }

    @Test("A scoped value that the builder's own scope keeps is no reason to build anew")
    func scopedWithoutInputs() {
        root.provide(\.shown) { scope in
            let made = EnvironmentScope.empty("made", parent: scope)
            return Product("\(made[Self.plain]) \(made[Self.plain])")
        }
        let shown = request.shown
        app.host = "elsewhere"
        #expect(request.shown === shown)
        #expect(root.shown === shown)
    }
}
