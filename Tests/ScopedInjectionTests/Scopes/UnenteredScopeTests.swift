import ScopedInjection
import Testing

@Suite("R8: the scope that a reference's function is given outside every scope")
struct UnenteredScopeTests {
    @Test("A reference bound to it, in a value of the global scope, does not keep a replaced global scope alive")
    func leak() async {
        await #expect(processExitsWith: .success) {
            let old = EnvironmentScope.global
            let watch = LifetimeWatch()
            do {
                EnvironmentScope.global = watch.add(EnvironmentScope.empty("new", parent: nil))
                let service = BoundService()
                EnvironmentScope.global[BoundServiceKey.self] = service
                Injected { $0 }().replace(in: service)
            }
            EnvironmentScope.global = old
            precondition(watch.alive == 0)
        }
    }
}
