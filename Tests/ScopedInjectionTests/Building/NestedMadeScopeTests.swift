import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let number = ScopeValue(0)
    fileprivate static let other = ScopeValue(0)
    fileprivate static let another = ScopeValue(0)
    fileprivate static let sum = ScopeValue { scope in scope.number + scope.other }
    fileprivate static let inner = ScopeValue { _ in -1 }
    fileprivate static let outer = ScopeValue { _ in -1 }
}

@Suite("R4, R5: a builder and the scopes that the builder around it made")
struct NestedMadeScopeTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    /// The scope that the outer builder made.
    private let made = Box<EnvironmentScope?>(nil)

    private func provideOuter(_ number: Int?) {
        app.provide(\.outer) { [made] scope in
            let child = EnvironmentScope("child", parent: scope) { if let number { $0.number = number } }
            if made.value == nil { made.value = child }
            return scope.inner
        }
    }

    @Test("What the inner one asks such a scope is an input")
    func asked() {
        app.provide(\.inner) { [made] _ in made.value?.localValue(for: \.number) ?? -1 }
        provideOuter(1)
        #expect(app.outer == 1)
        made.value?.number = 2
        #expect(app.inner == 2)
    }

    @Test("Also if the scope comes to keep it later")
    func askedForKept() {
        app.provide(\.inner) { [made] _ in made.value?.localValue(for: \.sum) ?? -1 }
        provideOuter(1)
        #expect(app.outer == -1)
        #expect(made.value?.sum == 1)
        #expect(app.inner == 1)
    }

    @Test("What the inner one reads through a scope of its own below it is an input", arguments: [true, false])
    func readBelow(isSetThere: Bool) {
        app.number = 1
        app.provide(\.inner) { [made] _ in EnvironmentScope.empty("own", parent: made.value).number }
        provideOuter(isSetThere ? 1 : nil)
        #expect(app.outer == 1)
        #expect(app.inner == 1)
        if isSetThere { made.value?.number = 2 } else { app.number = 2 }
        #expect(app.inner == 2)
    }

    @Test("An inner one that changes it runs at most twice")
    func changed() {
        let runs = Box(0)
        app.provide(\.inner) { [made] _ in
            runs.update { $0 += 1 }
            guard let child = made.value else { return -1 }
            let number = child.number
            // Otherwise this would be a hang.
            if runs.value < 100 { child.number = number + 1 }
            return number
        }
        provideOuter(1)
        #expect(app.outer >= 1)
        #expect(runs.value <= 2)
    }

    @Test("An alias through which a builder asked a scope that it made is an input")
    func alias() {
        app.alias(\.number, to: \.other)
        app.provide(\.outer) { scope in
            let child = EnvironmentScope("child", parent: scope) {
                $0.other = 1
                $0.another = 2
            }
            return child.localValue(for: \.number) ?? 0
        }
        #expect(app.outer == 1)
        app.alias(\.number, to: \.another)
        #expect(app.outer == 2)
    }
}
