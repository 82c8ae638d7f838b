import ScopedInjection
import Testing

private enum OwnerKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> ScopeOwner {
        ScopeOwner(EnvironmentScope("worker", parent: scope) { $0.host = "worker" })
    }
}

private enum ThroughChildKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Int { EnvironmentScope("child", parent: scope) { _ in }.port }
}

private enum WithinChildKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Int {
        let child = EnvironmentScope.empty("child", parent: scope)
        return child { Injected(\.port)() }
    }
}

@Suite("R4: children of the scope given to a builder")
struct BuilderChildTests {
    @Test("A child that the value keeps has the scope that keeps the value as its parent")
    func keptChild() throws {
        let app = EnvironmentScope("app", parent: nil) { $0.port = 1 }
        var request: EnvironmentScope? = EnvironmentScope.empty("request", parent: app)
        let owner = request?[OwnerKey.self]
        #expect(app.localValue(for: OwnerKey.self) === owner)
        request = nil
        let worker = try #require(owner?.scopes.first)
        #expect(worker.parent === app)
        #expect(try worker.value(for: PortKey.self) == 1)
    }

    @Test("A child that the value keeps has a parent also if the scope that asked keeps the value")
    func keptChildOfAsker() throws {
        let app = EnvironmentScope("app", parent: nil) { $0.port = 1 }
        let worker = try #require(app[OwnerKey.self].scopes.first)
        #expect(worker.parent === app)
        #expect(try worker.value(for: PortKey.self) == 1)
    }

    @Test("What is read through a child is an input of the value")
    func inputs() {
        let app = EnvironmentScope("app", parent: nil) { $0.port = 1 }
        let request = EnvironmentScope("request", parent: app) { $0.port = 2 }
        #expect(request[ThroughChildKey.self] == 2)
        #expect(app[ThroughChildKey.self] == 1)
        app.port = 3
        #expect(app[ThroughChildKey.self] == 3)
    }

    @Test("What a reference reads while a child is entered is an input of the value")
    func inputsOfReferences() {
        let app = EnvironmentScope("app", parent: nil) { $0.port = 1 }
        let request = EnvironmentScope("request", parent: app) { $0.port = 2 }
        #expect(request[WithinChildKey.self] == 2)
        #expect(app[WithinChildKey.self] == 1)
        app.port = 3
        #expect(app[WithinChildKey.self] == 3)
    }
}
