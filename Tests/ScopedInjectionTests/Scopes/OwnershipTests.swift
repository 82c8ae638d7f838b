import ScopedInjection
import Testing

// MARK: - Scopes, parents and children

@Suite("R8: scopes own their values, not their parents")
struct ScopeOwnershipTests {
    @Test("A child does not keep its parent alive")
    func parent() {
        let watch = LifetimeWatch()
        let child = EnvironmentScope.empty("child", parent: watch.add(EnvironmentScope.empty("parent", parent: nil)))
        #expect(watch.alive == 0)
        #expect(child.parent == nil)
    }

    @Test("A parent does not keep its children alive")
    func children() {
        let watch = LifetimeWatch()
        let parent = EnvironmentScope("parent", parent: nil) { $0.port = 1 }
        do {
            let child = watch.add(EnvironmentScope.empty("child", parent: parent))
            #expect(child.port == 1)
        }
        #expect(watch.alive == 0)
    }

    @Test("A value may own children of the scope that holds it")
    func ownedChildren() {
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

    @Test("A scope that was never entered, read or bound goes with its last owner")
    func untouched() {
        let watch = LifetimeWatch()
        do { watch.add(EnvironmentScope.empty("untouched")) }
        #expect(watch.alive == 0)
    }
}

// MARK: - What keeps a chain alive

/// A holder of the innermost scope of a chain.
private enum Holder: CaseIterable {
    case referenceMadeWithScope, referenceGivenScope, replacedReference, structReference, copiedReference

    func hold(_ scope: EnvironmentScope) -> Injected<Int> {
        struct Handler { @Injected(\.port) var port }
        switch self {
        case .referenceMadeWithScope:
            return Injected(\.port, scope: scope)
        case .referenceGivenScope:
            let reference = Injected(\.port)
            reference.scope = scope
            return reference
        case .replacedReference:
            let service = BoundService()
            scope.replace(in: service)
            return service.port
        case .structReference:
            let handler = Handler()
            handler.$port.scope = scope
            return handler.$port
        case .copiedReference:
            let handler = Handler()
            let copy = handler
            scope.replace(in: handler)
            return copy.$port
        }
    }
}

@Suite("R8: what keeps a scope and its whole chain alive")
struct ChainOwnershipTests {
    @Test("Synchronous code does while it runs in the scope")
    func entered() {
        let watch = LifetimeWatch()
        var levels = ThreeLevels(watch)
        levels.inner? {
            levels.release()
            #expect(watch.alive == 3)
            #expect(EnvironmentScope.current.port == 1)
        }
        #expect(watch.alive == 0)
    }

    @Test("Asynchronous code does while it runs in the scope")
    func enteredAsynchronously() async {
        let watch = LifetimeWatch()
        var levels = ThreeLevels(watch)
        await levels.inner? {
            levels.release()
            await Task.yield()
            #expect(watch.alive == 3)
            #expect(EnvironmentScope.current.port == 1)
        }
        #expect(watch.alive == 0)
    }

    @Test("Code that throws releases them")
    func failing() {
        struct Failure: Error {}
        let watch = LifetimeWatch()
        var levels = ThreeLevels(watch)
        #expect(throws: Failure.self) {
            try levels.inner? {
                levels.release()
                #expect(watch.alive == 3)
                throw Failure()
            }
        }
        #expect(watch.alive == 0)
    }

    @Test("Entering each scope of the chain inside the one before does")
    func enteredInSteps() {
        let watch = LifetimeWatch()
        var levels = ThreeLevels(watch)
        levels.outer? {
            levels.middle? {
                levels.inner? {
                    levels.release()
                    #expect(EnvironmentScope.current.port == 1)
                }
                #expect(watch.alive == 2)
                #expect(EnvironmentScope.current.port == 1)
            }
            #expect(watch.alive == 1)
        }
        #expect(watch.alive == 0)
    }

    @Test("A task that was started in the scope does until it ends")
    func task() async {
        let watch = LifetimeWatch()
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        var task: Task<Int, Never>?
        ThreeLevels.with(watch) { inner in
            inner {
                task = Task {
                    for await _ in opened {}
                    return EnvironmentScope.current.port
                }
            }
        }
        #expect(watch.alive == 3)
        open.finish()
        #expect(await task?.value == 1)
    }

    @Test("An explicit scope of a reference does", arguments: Holder.allCases)
    fileprivate func reference(_ holder: Holder) {
        let watch = LifetimeWatch()
        var reference: Injected<Int>?
        ThreeLevels.with(watch) { reference = holder.hold($0) }
        #expect(watch.alive == 3)
        #expect(reference?() == 1)
        reference = nil
        #expect(watch.alive == 0)
    }

    @Test("A reference that is given another scope, or none, releases them at once", arguments: [true, false])
    func rebinding(toAnother: Bool) {
        let watch = LifetimeWatch()
        let reference = Injected(\.port)
        let other = EnvironmentScope("other", parent: nil) { $0.port = 2 }
        ThreeLevels.with(watch) { reference.scope = $0 }
        #expect(watch.alive == 3)
        reference.scope = toAnother ? other : nil
        #expect(watch.alive == 0)
        #expect(other { reference() } == 2)
    }

    @Test("A value of a scope keeps the scopes of its references alive as long as the scope")
    func valueOfAnotherScope() {
        let watch = LifetimeWatch()
        var holder: EnvironmentScope? = EnvironmentScope.empty("holder", parent: nil)
        ThreeLevels.with(watch) { holder?.service = BoundService(scope: $0) }
        #expect(watch.alive == 3)
        #expect(holder?.service.port() == 1)
        holder = nil
        #expect(watch.alive == 0)
    }

    @Test("A value of a child keeps its parents alive through a reference")
    func valueOfChild() {
        let watch = LifetimeWatch()
        var request: EnvironmentScope?
        do {
            let app = watch.add(EnvironmentScope("app", parent: nil) { $0.port = 1 })
            request = watch.add(EnvironmentScope("request", parent: app) { $0.service = BoundService(scope: app) })
        }
        #expect(watch.alive == 2)
        #expect(request?.service.port() == 1)
        request = nil
        #expect(watch.alive == 0)
    }

    @Test("One holder that releases them does not take them from another")
    func severalHolders() {
        let watch = LifetimeWatch()
        var references: [Injected<Int>] = []
        ThreeLevels.with(watch) { references = [Injected(\.port, scope: $0), Injected(\.port, scope: $0)] }
        references.removeLast()
        #expect(watch.alive == 3)
        #expect(references.map { $0() } == [1])
        references.removeLast()
        #expect(watch.alive == 0)
    }
}

// MARK: - A new parent

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
