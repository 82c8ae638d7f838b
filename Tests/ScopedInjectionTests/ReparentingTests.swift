import ScopedInjection
import Testing

@Suite("R8: scopes that are given a parent that owns a reference to them")
struct ReparentingLeakTests {
    @Test("They leak nothing, in whatever order things are stored, bound and given a parent", arguments: 0..<6)
    func orders(_ order: Int) {
        let watch = LifetimeWatch()
        do {
            let parent = watch.add(EnvironmentScope("parent", parent: nil) { $0.port = 1 })
            let scope = watch.add(EnvironmentScope.empty("scope", parent: nil))
            let service = watch.add(BoundService())
            let store = { parent.service = service }
            let bind = { service.port.scope = scope }
            let attach = { scope.parent = parent }
            let orders = [
                [store, bind, attach], [store, attach, bind], [bind, store, attach],
                [bind, attach, store], [attach, store, bind], [attach, bind, store],
            ]
            for step in orders[order] { step() }
            withExtendedLifetime((parent, scope)) {
                #expect(service.port() == 1)
            }
        }
        #expect(watch.count == 3)
        #expect(watch.alive == 0)
    }

    @Test("They leak nothing where an outer scope is attached to the chain later", arguments: [true, false])
    func outerScope(isStoredFirst: Bool) {
        let watch = LifetimeWatch()
        do {
            let outer = watch.add(EnvironmentScope("outer", parent: nil) { $0.port = 1 })
            let parent = watch.add(EnvironmentScope.empty("parent", parent: nil))
            let scope = watch.add(EnvironmentScope.empty("scope", parent: parent))
            let service = watch.add(BoundService(scope: scope))
            if isStoredFirst { outer.service = service }
            parent.parent = outer
            if !isStoredFirst { outer.service = service }
            withExtendedLifetime((outer, parent, scope)) {
                #expect(service.port() == 1)
            }
        }
        #expect(watch.count == 4)
        #expect(watch.alive == 0)
    }
}
