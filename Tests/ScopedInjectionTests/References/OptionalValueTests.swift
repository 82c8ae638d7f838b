import ScopedInjection
import Testing

private enum OptionalServiceKey: ScopeKey { typealias Value = BoundService? }

@Suite("R9: values that are optional")
struct OptionalValueTests {
    private let scope = EnvironmentScope("scope", parent: nil) { $0[OptionalServiceKey.self] = BoundService() }

    @Test("replaceInValues sets the references of a value of an optional key")
    func inValues() {
        #expect(scope.replaceInValues() == 1)
        #expect(scope[OptionalServiceKey.self]?.port.scope === scope)
    }

    @Test(".recursive goes on into the value of a reference to an optional key")
    func recursive() {
        struct Holder { let service = Injected(key: OptionalServiceKey.self) }
        #expect(scope.replace(in: Holder(), options: .recursive) == 2)
    }

    @Test("An instance may be optional")
    func instance() {
        let service: BoundService? = BoundService()
        #expect(scope.replace(in: service as Any) == 1)
    }
}
