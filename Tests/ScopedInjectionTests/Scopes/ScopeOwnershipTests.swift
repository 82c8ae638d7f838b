import ScopedInjection
import Testing

@Suite("R8: scopes own their values, not their parents", .programRoots)
struct ScopeOwnershipTests {
    @Test("A child does not keep its parent alive") func parent() {
        let watch = LifetimeWatch()
        let child = EnvironmentScope.empty("child", parent: watch.add(EnvironmentScope.empty("parent", parent: nil)))
        #expect(watch.alive == 0)
        #expect(child.parent == nil)
    }

    @Test("A parent does not keep its children alive") func children() {
        let watch = LifetimeWatch()
        let parent = EnvironmentScope("parent", parent: nil) { $0.port = 1 }
        do {
            let child = watch.add(EnvironmentScope.empty("child", parent: parent))
            #expect(child.port == 1)
        }
        #expect(watch.alive == 0)
    }

    @Test("A value may own children of the scope that holds it") func ownedChildren() {
        let watch = LifetimeWatch()
        var parent: EnvironmentScope? = EnvironmentScope("parent", parent: nil) { scope in
            watch.add(scope).port = 1
            let child = watch.add(EnvironmentScope.empty("child", parent: scope))
            let grandchild = watch.add(EnvironmentScope.empty("grandchild", parent: child))
            scope.owner = watch.add(ScopeOwner(child, grandchild))
        }
        #expect(parent?.owner.scopes.map(\.port) == [1, 1])
        #expect(watch.alive == 4)
        parent = nil
        #expect(watch.alive == 0)
    }
}
