import ScopedInjection
import Testing

private final class Lazy: Sendable {
    let scope: EnvironmentScope
    init(_ scope: EnvironmentScope) { self.scope = scope }
}

private enum LazyKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Lazy {
        _ = scope.port
        return Lazy(scope)
    }
}

@Suite("R4: the scope given to a builder")
struct BuilderScopeTests {
    @Test("It is the current scope while the builder runs")
    func isCurrent() {
        enum CurrentKey: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) -> Bool { scope === EnvironmentScope.current }
        }
        let scope = EnvironmentScope.empty(parent: nil)
        #expect(scope[CurrentKey.self])
        #expect(EnvironmentScope.current === EnvironmentScope.global)
    }

    @Test("Kept by the value, it resolves as the scope that keeps the value")
    func resolvesAsKeeper() {
        let app = EnvironmentScope("app", parent: nil) { $0.port = 1 }
        var request: EnvironmentScope? = EnvironmentScope("request", parent: app) { $0.host = "request" }
        weak let asking = request
        let lazy = request?[LazyKey.self]
        #expect(app.localValue(for: LazyKey.self) === lazy)
        #expect(lazy?.scope.host == "localhost", "the host of the asking scope was no input")
        request = nil
        #expect(asking == nil)
        app.host = "later"
        #expect(lazy?.scope.host == "later")
    }

    @Test("Kept by the value, it does not own the scope that keeps the value")
    func ownsNothing() throws {
        var app: EnvironmentScope? = EnvironmentScope("app", parent: nil) { $0.port = 1 }
        weak let keeper = app
        let lazy = app?[LazyKey.self]
        app = nil
        #expect(keeper == nil)
        let error = #expect(throws: ScopeError.self) { try lazy?.scope.value(for: PortKey.self) }
        #expect(error?.code == .parentReleased)
    }

    @Test("A scope that is a value is the asking scope's own")
    func scopeAsValue() {
        enum ScopeValueKey: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) -> EnvironmentScope { scope }
        }
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope("request", parent: app) { $0.port = 7 }
        #expect(request[ScopeValueKey.self].port == 7)
        #expect(app[ScopeValueKey.self].port == 8080)
    }

    @Test("It has no name, so that a shared value cannot depend on who asked")
    func hasNoName() {
        enum NameKey: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) -> String? { scope.name }
        }
        #expect(EnvironmentScope.empty("asking", parent: nil)[NameKey.self] == nil)
    }

    @Test("It may be read from other threads while the builder waits for them")
    func readFromOtherThread() {
        enum ParallelKey: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) -> Int {
                elsewhere { scope.port }
            }
        }
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope("request", parent: app) { $0.port = 5 }
        #expect(request[ParallelKey.self] == 5)
        #expect(app[ParallelKey.self] == 8080)
    }
}
