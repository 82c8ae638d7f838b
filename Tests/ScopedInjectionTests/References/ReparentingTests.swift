import ScopedInjection
import Testing

@Suite("R8: scopes that are given a parent that owns a reference to them")
struct ReparentingLeakTests {
    /// A step of the test, which takes them in every order.
    enum Step: CaseIterable { case store, bind, attach }

    private static let everyOrder: [[Step]] = [
        [.store, .bind, .attach], [.store, .attach, .bind], [.bind, .store, .attach],
        [.bind, .attach, .store], [.attach, .store, .bind], [.attach, .bind, .store],
    ]

    @Test("The order of storing, binding and moving makes no difference", arguments: everyOrder, Binding.allCases)
    func orders(_ order: [Step], _ binding: Binding) {
        let watch = LifetimeWatch()
        let known: WeakService
        do {
            let parent = watch.add(EnvironmentScope("parent", parent: nil) { $0.port = 1 })
            let scope = watch.add(EnvironmentScope.empty("scope", parent: nil))
            let service = watch.add(BoundService())
            known = WeakService(service)
            for step in order {
                switch step {
                case .store: parent.service = service
                case .bind: binding.bind(service, to: scope)
                case .attach: scope.parent = parent
                }
            }
            withExtendedLifetime((parent, scope)) {
                #expect(service.port() == 1)
            }
        }
        #expect(watch.count == 3)
        watch.expect(leak: binding == .explicit, by: [known])
    }

    @Test("An outer scope that is attached to the chain later", arguments: [true, false], Binding.allCases)
    func outerScope(isStoredFirst: Bool, _ binding: Binding) {
        let watch = LifetimeWatch()
        let known: WeakService
        do {
            let outer = watch.add(EnvironmentScope("outer", parent: nil) { $0.port = 1 })
            let parent = watch.add(EnvironmentScope.empty("parent", parent: nil))
            let scope = watch.add(EnvironmentScope.empty("scope", parent: parent))
            let service = watch.add(BoundService())
            known = WeakService(service)
            binding.bind(service, to: scope)
            if isStoredFirst { outer.service = service }
            parent.parent = outer
            if !isStoredFirst { outer.service = service }
            withExtendedLifetime((outer, parent, scope)) {
                #expect(service.port() == 1)
            }
        }
        #expect(watch.count == 4)
        watch.expect(leak: binding == .explicit, by: [known])
    }
}
