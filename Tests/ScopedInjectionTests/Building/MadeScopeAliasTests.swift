import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let number = ScopeValue(0)
    fileprivate static let renamed = ScopeValue(0)
    fileprivate static let shown = ScopeValue<Product>.required()
}

/// A change of a scope that a builder makes.
private enum Change: CaseIterable {
    case set, provide, remove

    func apply(to scope: EnvironmentScope) {
        switch self {
        case .set: scope.renamed = 5
        case .provide: scope.provide(\.renamed) { _ in 5 }
        case .remove:
            scope.number = 4
            scope.removeValue(for: \.renamed)
        }
    }
}

@Suite("R12: aliases around a scope that a builder makes and changes")
struct MadeScopeAliasTests {
    private let root = EnvironmentScope.empty("root", parent: nil)
    private let app: EnvironmentScope
    private let request: EnvironmentScope
    private let elsewhere = EnvironmentScope.empty("elsewhere", parent: nil)

    init() {
        app = EnvironmentScope.empty("app", parent: root)
        request = EnvironmentScope.empty("request", parent: app)
    }

    private func provide(_ change: Change, isBelow: Bool) {
        root.provide(\.shown) { [elsewhere] scope in
            let made = EnvironmentScope("made", parent: isBelow ? scope : elsewhere) { change.apply(to: $0) }
            return Product("\(made.number)")
        }
    }

    @Test("An alias that is declared later is followed", arguments: Change.allCases, [true, false])
    private func declared(_ change: Change, isBelow: Bool) {
        provide(change, isBelow: isBelow)
        let changed = change == .remove ? "0" : "5"
        let unchanged = change == .remove ? "4" : "0"
        let outer = isBelow ? app : elsewhere
        #expect(request.shown.text == unchanged)
        outer.alias(\.renamed, to: \.number)
        #expect(request.shown.text == changed)
        outer.removeValue(for: \.renamed)
        outer.removeAll()
        #expect(request.shown.text == unchanged)
    }

    @Test("An alias is followed that is declared after the builder has asked the scope what it holds")
    func asked() {
        root.provide(\.shown) { scope in
            let made = EnvironmentScope("made", parent: scope) { $0.number = 5 }
            return Product("\(made.localValue(for: \.renamed) ?? -1)")
        }
        #expect(request.shown.text == "-1")
        app.alias(\.renamed, to: \.number)
        #expect(request.shown.text == "5")
    }

    @Test("What the scope itself has set is no alias, whatever is declared further out", arguments: [true, false])
    func ownValue(isDeclaredBefore: Bool) {
        if isDeclaredBefore { root.alias(\.renamed, to: \.number) }
        root.provide(\.shown) { scope in
            let made = EnvironmentScope("made", parent: nil) { $0.renamed = 1 }
            made.parent = scope
            made.renamed = 2
            return Product("\(made.renamed)")
        }
        let shown = request.shown
        #expect(shown.text == "2")
        if !isDeclaredBefore { root.alias(\.renamed, to: \.number) }
        root.host = "elsewhere"
        #expect(request.shown === shown)
        #expect(root.shown === shown)
    }

    @Test("Values on the way are no reason to build anew", arguments: [Change.set, .provide])
    private func shared(_ change: Change) {
        root.provide(\.shown) { scope in
            Product("\(EnvironmentScope("made", parent: scope) { change.apply(to: $0) }.renamed)")
        }
        let shown = request.shown
        app.renamed = 1
        request.provide(\.renamed) { _ in 2 }
        #expect(request.shown === shown)
        #expect(root.shown === shown)
        #expect(shown.text == "5")
    }

    @Test("What a scope sees by a value of its own, before an alias further out, is not given to others")
    func shielded() {
        let part = ScopeValue<Int>(.transient, name: "part") { scope in
            EnvironmentScope("made", parent: scope) { $0.renamed = 5 }.number
        }
        let builds = Box(0)
        let shared = ScopeValue<String>(name: "shared") { scope in
            builds.update { $0 += 1 }
            return "of \(scope[part])"
        }
        let other = EnvironmentScope.empty("other", parent: root)
        request.renamed = 1
        root.alias(\.renamed, to: \.number)
        for _ in 0..<3 { #expect(request[shared] == "of 0") }
        #expect(other[shared] == "of 5")
        #expect(root[shared] == "of 5")
        #expect(request[shared] == "of 0")
        #expect(builds.value == 2)
        request.removeValue(for: \.renamed)
        #expect(request[shared] == "of 5")
    }

    @Test(
        "What a scope shields from an alias belongs to that scope, whatever was read before",
        arguments: [true, false]
    )
    func shieldedLater(isReadBefore: Bool) {
        let kept = ScopeValue<EnvironmentScope>(name: "kept") { scope in
            _ = EnvironmentScope("made", parent: scope) { $0.renamed = 5 }
            return scope
        }
        if isReadBefore { #expect(app[kept].parent == nil) }
        request.renamed = 1
        app.alias(\.renamed, to: \.number)
        #expect(request[kept].parent === app)
        #expect(app[kept].parent === root)
        #expect(root[kept].parent == nil)
    }
}
