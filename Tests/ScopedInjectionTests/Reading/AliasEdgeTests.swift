import ScopedInjection
import Testing

@Suite("R12: aliases in odd places")
struct AliasEdgeTests {
    @Test("A circle of aliases fails reads of its keys only")
    func otherKeys() throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        app.alias(ReplicaKey.self, to: MainKey.self)
        let request = EnvironmentScope("request", parent: nil) { $0.port = 1 }
        request.alias(MainKey.self, to: ReplicaKey.self)
        request.parent = app
        #expect(try request.value(for: PortKey.self) == 1)
        #expect(try request.value(for: HostKey.self) == "localhost")
    }

    @Test("A value built from a transient one is rebuilt when the alias leads elsewhere")
    func namesOfTransientValues() {
        let app = EnvironmentScope.empty("app", parent: nil)
        app.alias(NameKey.self, to: FirstKey.self)
        #expect(app[BuiltFromNameKey.self] == "first")
        app.alias(NameKey.self, to: SecondKey.self)
        #expect(app[BuiltFromNameKey.self] == "second")
    }

    @Test("After a scope is gone, its alias is not used")
    func goneScope() throws {
        var app: EnvironmentScope? = .empty("app", parent: nil)
        app?.alias(ReplicaKey.self, to: MainKey.self)
        let request = EnvironmentScope.empty("request", parent: app)
        request[MainKey.self] = 1
        #expect(try request.value(for: ReplicaKey.self) == 1)
        app = nil
        #expect(throws: ScopeError.self) { try request.value(for: ReplicaKey.self) }
        #expect(try request.value(for: MainKey.self) == 1)
    }
}

private enum MainKey: ScopeKey { static let defaultValue = 100 }
private enum ReplicaKey: ScopeKey { static let defaultValue = 200 }
private enum NameKey: ScopeKey { static let defaultValue = "name" }
private enum FirstKey: ScopeKey {
    static var lifetime: ValueLifetime { .transient }
    static func makeValue(in scope: EnvironmentScope) -> String { "first" }
}
private enum SecondKey: ScopeKey {
    static var lifetime: ValueLifetime { .transient }
    static func makeValue(in scope: EnvironmentScope) -> String { "second" }
}
private enum BuiltFromNameKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> String { scope[NameKey.self] }
}
