import ScopedInjection
import Testing

@Suite("R8: what keeps a scope and its whole chain alive", .programRoots)
struct ChainOwnershipTests {
    @Test("Synchronous code does while it runs in the scope, however many scopes there are", arguments: 1...7)
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

    @Test("Asynchronous code does while it runs in the scope") func enteredAsynchronously() async {
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

    @Test("A task that was started in the scope does until it ends") func task() async {
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

    @Test("A closure that is bound to it does", arguments: [true, false]) func bound(isAsync: Bool) async {
        let watch = LifetimeWatch()
        var port: (@Sendable () async -> Int)?
        ThreeLevels.with(watch) { inner in
            port =
                isAsync
                ? inner.bind { () async -> Int in EnvironmentScope.current.port }
                : inner.bind { EnvironmentScope.current.port }
        }
        #expect(watch.alive == 3)
        #expect(await port?() == 1)
        port = nil
        #expect(watch.alive == 0)
    }

    @Test("Two siblings do, whichever goes first", arguments: 0...1) func siblings(first: Int) {
        let watch = LifetimeWatch()
        var ports: [(@Sendable () -> Int)?] = []
        ThreeLevels.with(watch) { inner in
            for _ in 0...1 {
                ports.append(EnvironmentScope.empty(parent: inner).bind { EnvironmentScope.current.port })
            }
        }
        ports[first] = nil
        #expect(watch.alive == 3)
        #expect(ports[1 - first]?() == 1)
        ports = []
        #expect(watch.alive == 0)
    }

}
