import ScopedInjection
import Testing

@Suite("R8: what is entered or bound keeps the chain that it had then, not a parent that a scope in it is given later")
struct ReparentingOwnershipTests {
    @Test("A scope that is not in force does not keep its new parent alive")
    func notEntered() {
        let watch = LifetimeWatch()
        let scope = EnvironmentScope.empty("scope", parent: nil)
        ThreeLevels.with(watch) { scope.parent = $0 }
        #expect(watch.alive == 0)
        #expect(scope.parent == nil)
    }

    @Test("A scope that was entered before does not keep its new parent alive")
    func enteredBefore() {
        let watch = LifetimeWatch()
        let scope = EnvironmentScope("scope", parent: nil) { $0.host = "scope" }
        scope {
            ThreeLevels.with(watch) { inner in
                scope.parent = inner
                #expect(Injected(\.port)() == 1)
            }
            #expect(watch.alive == 0)
            #expect(scope.host == "scope")
            #expect(throws: ScopeError.self) { try scope.value(for: \.port) }
        }
    }

    @Test("One that is entered after the move does")
    func enteredAfterwards() {
        let watch = LifetimeWatch()
        let scope = EnvironmentScope.empty("scope", parent: nil)
        var levels: ThreeLevels? = ThreeLevels(watch)
        scope.parent = levels?.inner
        scope {
            levels = nil
            #expect(watch.alive == 3)
            #expect(Injected(\.port)() == 1)
        }
        #expect(watch.alive == 0)
    }

    @Test("The chain that it had before is kept until the code ends")
    func formerChain() {
        let watch = LifetimeWatch()
        let scope = EnvironmentScope.empty("scope", parent: nil)
        let other = EnvironmentScope("other", parent: nil) { $0.port = 2 }
        var levels: ThreeLevels? = ThreeLevels(watch)
        scope.parent = levels?.inner
        scope {
            levels = nil
            scope.parent = other
            #expect(Injected(\.port)() == 2)
            #expect(watch.alive == 3)
        }
        #expect(watch.alive == 0)
    }
}
