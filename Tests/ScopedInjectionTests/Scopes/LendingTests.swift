import ScopedInjection
import Testing

/// A task that code in a scope has left behind, which waits until it may read.
private struct LeftBehind {
    private let end: AsyncStream<Void>.Continuation
    private let task: Task<Int, Never>

    /// Starts the task while the current scope is the one that it has to keep alive.
    init() {
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        self.end = end
        task = Task {
            for await _ in ended {}
            return EnvironmentScope.current.port
        }
    }

    func port() async -> Int {
        end.finish()
        return await task.value
    }
}

@Suite("R8: a scope that is entered again and again")
struct LendingTests {
    @Test("It keeps itself and its chain alive, each time", arguments: 0..<3)
    func lastTime(before: Int) {
        let watch = LifetimeWatch()
        var levels = ThreeLevels(watch)
        for _ in 0..<before { levels.inner? { #expect(EnvironmentScope.current.port == 1) } }
        levels.inner? {
            levels.release()
            #expect(watch.alive == 3)
            #expect(EnvironmentScope.current.port == 1)
        }
        #expect(watch.alive == 0)
    }

    @Test("Its chain is released when the code in it ends, even if the scope is not")
    func chain() {
        let watch = LifetimeWatch()
        var levels = ThreeLevels(watch)
        levels.inner? { levels.outer = nil }
        levels.middle = nil
        #expect(watch.alive == 1)
        #expect(levels.inner?.parent == nil)
    }

    @Test("Tasks that were left behind keep it alive, whichever time left them", arguments: 1...3)
    func leftBehind(times: Int) async {
        let watch = LifetimeWatch()
        var tasks: [LeftBehind] = []
        do {
            let levels = ThreeLevels(watch)
            for _ in 0..<times {
                levels.inner? { tasks.append(LeftBehind()) }
                levels.inner? { #expect(EnvironmentScope.current.port == 1) }
            }
        }
        #expect(watch.alive == 3)
        for task in tasks { #expect(await task.port() == 1) }
    }

    @Test("A task that asynchronous code left behind keeps it alive")
    func leftBehindAsynchronously() async {
        let watch = LifetimeWatch()
        var task: LeftBehind?
        do {
            let levels = ThreeLevels(watch)
            await levels.inner? {
                await Task.yield()
                task = LeftBehind()
            }
        }
        #expect(watch.alive == 3)
        #expect(await task?.port() == 1)
    }

    @Test("A task that was left behind while it was configured keeps it alive")
    func leftBehindInConfiguration() async {
        let watch = LifetimeWatch()
        var task: LeftBehind?
        do {
            let outer = watch.add(EnvironmentScope("outer", parent: nil) { $0.port = 1 })
            _ = watch.add(EnvironmentScope(parent: outer) { _ in task = LeftBehind() })
        }
        #expect(watch.alive == 2)
        #expect(await task?.port() == 1)
    }

    @Test("A task that was left behind keeps a new parent alive")
    func leftBehindBeforeNewParent() async {
        let watch = LifetimeWatch()
        var task: LeftBehind?
        do {
            let scope = watch.add(EnvironmentScope.empty("scope", parent: nil))
            scope { task = LeftBehind() }
            ThreeLevels.with(watch) { scope.parent = $0 }
        }
        #expect(watch.alive == 4)
        #expect(await task?.port() == 1)
    }

    @Test("A closure that was bound while it was entered keeps it alive")
    func bound() {
        let watch = LifetimeWatch()
        var read: (@Sendable () -> Int)?
        do {
            let levels = ThreeLevels(watch)
            levels.inner? { read = EnvironmentScope.current.bind { EnvironmentScope.current.port } }
        }
        #expect(watch.alive == 3)
        #expect(read?() == 1)
        read = nil
        #expect(watch.alive == 0)
    }

    @Test("Entered within itself, it keeps itself and its chain alive until the outer code ends")
    func withinItself() {
        let watch = LifetimeWatch()
        var levels = ThreeLevels(watch)
        levels.inner? {
            EnvironmentScope.current {
                levels.release()
                #expect(EnvironmentScope.current.port == 1)
            }
            #expect(watch.alive == 3)
            #expect(EnvironmentScope.current.port == 1)
        }
        #expect(watch.alive == 0)
    }

    @Test("A new parent is kept alive while it is entered, and no longer, each time")
    func newParent() {
        let scope = EnvironmentScope.empty("scope", parent: nil)
        for _ in 0..<3 {
            let watch = LifetimeWatch()
            scope {
                ThreeLevels.with(watch) { scope.parent = $0 }
                #expect(watch.alive == 3)
                scope { #expect(EnvironmentScope.current.port == 1) }
                #expect(watch.alive == 3)
            }
            #expect(watch.alive == 0)
        }
    }

    @Test("Threads that enter it at once, leave tasks behind and give it parents leak nothing")
    func threads() async {
        let watch = LifetimeWatch()
        let tasks = Box<[Task<Void, Never>]>([])
        do {
            let scope = watch.add(EnvironmentScope("scope", parent: nil) { $0.host = "here" })
            let parents = (0..<3).map { number in
                watch.add(EnvironmentScope("parent", parent: nil) { $0.port = number })
            }
            await onThreads(4) { thread in
                for round in 0..<500 {
                    if thread == 0 { scope.parent = parents[round % 3] }
                    scope {
                        #expect(EnvironmentScope.current.host == "here")
                        if round % 10 == thread {
                            let task = Task {
                                await Task.yield()
                                #expect(EnvironmentScope.current.host == "here")
                            }
                            tasks.update { $0.append(task) }
                        }
                    }
                }
            }
        }
        for task in tasks.value { await task.value }
        tasks.value = []
        // A task releases its task-locals after it has returned its result.
        for _ in 0..<100_000 where watch.alive > 0 { await Task.yield() }
        #expect(watch.alive == 0)
    }
}
