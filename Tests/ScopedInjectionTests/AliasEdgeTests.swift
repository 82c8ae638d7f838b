import ScopedInjection
import Testing

@Suite("R12: aliases in odd places")
struct AliasEdgeTests {
    @Test("A circle of aliases is an error at the reads of its keys only")
    func otherKeys() throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        app.alias(ReplicaKey.self, to: MainKey.self)
        let request = EnvironmentScope("request", parent: nil) { $0.port = 1 }
        request.alias(MainKey.self, to: ReplicaKey.self)
        request.parent = app
        #expect(try request.value(for: PortKey.self) == 1)
        #expect(try request.value(for: HostKey.self) == "localhost")
    }
}

private enum MainKey: ScopeKey { static let defaultValue = 100 }
private enum ReplicaKey: ScopeKey { static let defaultValue = 200 }
