import ScopedInjection
import Testing

@Suite("R8: scopes that are given a new parent")
struct ReparentingOwnershipTests {
    @Test("While it is entered, a scope keeps the chain of its new parent alive, and no longer")
    func entered() {
        let watch = LifetimeWatch()
        let scope = EnvironmentScope("scope", parent: nil) { $0.host = "scope" }
        scope {
            ThreeLevels.with(watch) { scope.parent = $0 }
            #expect(watch.alive == 3)
            #expect(scope.port == 1)
            #expect(Injected(\.port)() == 1)
        }
        #expect(watch.alive == 0)
        #expect(scope.parent == nil)
    }

    @Test("While code runs below it, a scope keeps the chain of its new parent alive, and no longer")
    func enteredBelow() {
        let watch = LifetimeWatch()
        let scope = EnvironmentScope.empty("scope", parent: nil)
        let child = EnvironmentScope.empty("child", parent: scope)
        child {
            ThreeLevels.with(watch) { scope.parent = $0 }
            #expect(watch.alive == 3)
            #expect(EnvironmentScope.current.port == 1)
            scope {}
            #expect(watch.alive == 3)
        }
        #expect(watch.alive == 0)
    }

    @Test("A scope that is not in force does not keep its new parent alive")
    func notEntered() {
        let watch = LifetimeWatch()
        let scope = EnvironmentScope.empty("scope", parent: nil)
        ThreeLevels.with(watch) { scope.parent = $0 }
        #expect(watch.alive == 0)
    }

    @Test("A scope that an explicit reference holds keeps its new parents alive, and no longer")
    func bound() {
        let watch = LifetimeWatch()
        var reference: Injected<Int>?
        do {
            let scope = watch.add(EnvironmentScope.empty("scope", parent: nil))
            reference = Injected(\.port, scope: scope)
            ThreeLevels.with(watch) { scope.parent = $0 }
        }
        #expect(watch.alive == 4)
        #expect(reference?() == 1)
        reference = nil
        #expect(watch.alive == 0)
    }

    @Test("A parent that is replaced again is released")
    func replacedAgain() {
        let first = LifetimeWatch()
        let second = LifetimeWatch()
        let scope = EnvironmentScope.empty("scope", parent: nil)
        scope {
            ThreeLevels.with(first) { scope.parent = $0 }
            #expect(first.alive == 3)
            ThreeLevels.with(second) { scope.parent = $0 }
            #expect(first.alive == 0)
            #expect(second.alive == 3)
            scope.parent = nil
            #expect(second.alive == 0)
            #expect(scope.port == 8080)
        }
    }

    @Test("A new child of an entered scope keeps that scope's new parent alive while the child is entered")
    func childAfterwards() {
        let watch = LifetimeWatch()
        let scope = EnvironmentScope.empty("scope", parent: nil)
        var reference: Injected<Int>?
        scope {
            ThreeLevels.with(watch) { scope.parent = $0 }
            let child = EnvironmentScope.empty("child", parent: scope)
            reference = Injected(\.port, scope: child)
        }
        #expect(watch.alive == 3)
        #expect(reference?() == 1)
        reference = nil
        #expect(watch.alive == 0)
    }
}
