import ScopedInjection
import ScopedInjectionTesting
import Testing

@Suite("What the watch of a test's scope notes")
struct WatchedScopeTests {
    @Test(
        "A value that is read as the scope's own is read",
        .withoutIssues,
        .scope(strictness: .failures) { $0.port = 1 }
    )
    func localValue() { #expect(EnvironmentScope.current.localValue(for: PortKey.self) == 1) }

    @Test("One that a scope below does not hold itself is not")
    func localValueBelow() {
        let watch = CaseWatch { _, _ in true }
        let scope = watch.makeScope("test", parent: nil, defaults: nil)
        watch.note(.expected)
        scope.port = 1
        let child = EnvironmentScope.empty("child", parent: scope)
        #expect(child.localValue(for: PortKey.self) == nil)
        #expect(watch.end().unreadKeys == ["PortKey"])
    }

    @Test("A reference that was bound many times outlives the test as one")
    func reboundReference() {
        let watch = CaseWatch { _, _ in true }
        let scope = watch.makeScope("test", parent: nil, defaults: nil)
        let port = Injected(\.port)
        for _ in 0..<100 { port.scope = scope }
        #expect(watch.survivors.references.count == 1)
        #expect(port() == 8080)
    }
}
