import ScopedInjection
import Testing

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

    @Test("Code that runs in the scope keeps every ancestor, however many there are", arguments: 1...7)
    func entered(below count: Int) {
        let watch = LifetimeWatch()
        var scopes = [watch.add(EnvironmentScope("outermost", parent: nil) { $0.port = 1 })]
        for _ in 0..<count { scopes.append(watch.add(.empty(parent: scopes.last))) }
        let inner = scopes.removeLast()
        for number in 1...2 {
            inner {
                if number == 2 { scopes = [] }
                #expect(watch.alive == count + 1)
                #expect(EnvironmentScope.current.port == 1)
            }
            #expect(watch.alive == (number == 1 ? count + 1 : 1))
        }
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
