import ScopedInjection
import Testing

@Suite("R11: a closing waits until nobody runs inside", .programRoots, .timeLimit(.minutes(10)))
struct DrainingTests {
    private let bodies = Bodies()

    @Test("Meanwhile all is given as before, also to who enters; then the ends begin", arguments: Bodies.Way.allCases)
    func closing(way: Bodies.Way) async {
        let (app, log) = (bodies.app, bodies.log)
        let events = app.events(of: .draining)
        let left = EnvironmentScope.empty("left open", role: .request, parent: app)
        _ = left.poolTransaction
        let body = await bodies.start(way)
        #expect(!app.isClosing)
        let closing = startAtOnce {
            await app.close()
            log.add("closed")
        }
        while events.value.isEmpty { await Task.yield() }
        #expect(app.isClosing && !app.isClosed)
        #expect("\(events.value[0])".contains(way == .furtherIn ? "\"part\"" : "\"request\""))
        let pool = app.sizedPool
        #expect(await app.withChild("late") { EnvironmentScope.current.sizedPool } === pool)
        #expect(log.lines.isEmpty)
        bodies.letLeave()
        await body.value
        await closing.value
        #expect(log.lines == ["left", "transaction on 1", "pool 1", "closed"])
        #expect(left.isClosed)
    }

    @Test("Who enters meanwhile is waited for, too") func entering() async {
        let (app, log, later) = (bodies.app, bodies.log, Barrier())
        let body = await bodies.start()
        let closing = startAtOnce { await app.close() }
        while !app.isClosing { await Task.yield() }
        let second = await bodies.start(leaves: later)
        bodies.letLeave()
        await body.value
        for _ in 0..<100 { await Task.yield() }
        #expect(log.lines == ["left"])
        later.open()
        await second.value
        await closing.value
        #expect(log.lines == ["left", "left", "pool 1"])
    }

    @Test("The end of withChild waits for others in it") func withChild() async {
        let (app, log, begun, mayLeave) = (bodies.app, bodies.log, Barrier(), Barrier())
        let other = Box<Task<Void, Never>?>(nil)
        let request = Task {
            await app.withChild("request", role: .request) {
                let scope = EnvironmentScope.current
                _ = scope.poolTransaction
                let task = Task.detached {
                    await scope {
                        begun.open()
                        await mayLeave.pass()
                        log.add("left")
                    }
                }
                other.update { $0 = task }
                await begun.pass()
            }
            log.add("returned")
        }
        await begun.pass()
        for _ in 0..<100 { await Task.yield() }
        #expect(log.lines.isEmpty)
        mayLeave.open()
        await request.value
        await other.value?.value
        #expect(log.lines == ["left", "transaction on 1", "returned"])
    }

    @Test("A request that closes the application waits for the others, and neither for itself nor for what it keeps")
    func fromInside() async {
        let (app, log) = (bodies.app, bodies.log)
        let other = await bodies.start()
        let closing = startAtOnce {
            await app.withChild("request", role: .request) {
                _ = EnvironmentScope.current.poolTransaction
                await app.close()
                log.add("closed")
            }
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(log.lines.isEmpty)
        bodies.letLeave()
        await other.value
        await closing.value
        #expect(log.lines == ["left", "closed", "transaction on 1", "pool 1"])
    }

    @Test("Several that close it from inside do not wait for each other, also where one is further in")
    func severalFromInside() async {
        let (app, log) = (bodies.app, bodies.log)
        let begun = (0..<3).map { _ in Barrier() }
        await withTaskGroup { group in
            for number in 0..<3 {
                group.addTask {
                    await app.withChild("request", role: .request) {
                        _ = EnvironmentScope.current.poolTransaction
                        begun[number].open()
                        for other in begun { await other.pass() }
                        if number == 0 {
                            await app.close()
                        } else {
                            await EnvironmentScope.current.withChild("part") { await app.close() }
                        }
                    }
                }
            }
        }
        #expect(app.isClosed)
        #expect(log.lines == Array(repeating: "transaction on 1", count: 3) + ["pool 1"])
    }

    @Test("A signal in the body of the program lets the requests go to their end") func signal() async {
        let (log, begun, mayLeave) = (bodies.log, Barrier(), Barrier())
        await EnvironmentScope.withScope("server", role: .application) {
            $0.log = log
        } operation: { server in
            let request = Task {
                await server.withChild("request", role: .request) {
                    _ = EnvironmentScope.current.poolTransaction
                    begun.open()
                    await mayLeave.pass()
                    log.add("left")
                }
            }
            await begun.pass()
            let signal = Task {
                await server.close()
                log.add("closed")
            }
            while !server.isClosing { await Task.yield() }
            mayLeave.open()
            await signal.value
            await request.value
        }
        #expect(log.lines == ["left", "transaction on 1", "pool 1", "closed"])
    }

    @Test("Who enters once the ends have begun is refused what has one, and given what has none")
    func afterTheBeginning() async {
        let (app, log, begun, mayEnd) = (bodies.app, bodies.log, Barrier(), Barrier())
        let pool = app.sizedPool
        app.onClose {
            begun.open()
            // A cleanup is given what has not had its turn, also in a task of its own.
            await Task.yield()
            #expect(EnvironmentScope.current.sizedPool === pool)
            await mayEnd.pass()
            #expect(EnvironmentScope.current.sizedPool === pool)
        }
        let closing = Task { await app.close() }
        await begun.pass()
        await app.withChild("late") {
            let error = #expect(throws: ScopeError.self) { try EnvironmentScope.current.value(for: \.sizedPool) }
            #expect(error?.code == .closed)
            #expect(EnvironmentScope.current.poolSize == 1)
        }
        mayEnd.open()
        await closing.value
        #expect(log.lines == ["pool 1"])
    }
}

@Suite("R11: a closing closes scopes further in that keep something to end", .programRoots, .timeLimit(.minutes(10)))
struct ClosingFurtherInTests {
    private let bodies = Bodies()

    @Test("One that was never entered, and one below it, each after those further in") func forgotten() async {
        let (app, log) = (bodies.app, bodies.log)
        let tenant = EnvironmentScope.empty("tenant", role: .request, parent: app)
        let request = EnvironmentScope.empty("request", role: .request, parent: tenant)
        tenant.onClose { log.add("tenant") }
        _ = (tenant.poolTransaction, request.poolTransaction)
        request.onClose { log.add("request") }
        await app.close()
        #expect(log.lines == ["request", "transaction on 1", "transaction on 1", "tenant", "pool 1"])
        #expect(tenant.isClosed && request.isClosed)
    }

    @Test("Those side by side end at once, so that one that hangs holds up no other one") func sideBySide() async {
        let (app, log, mayEnd) = (bodies.app, bodies.log, Barrier())
        let scopes = (0..<3).map { EnvironmentScope.empty("\($0)", parent: app) }
        for (number, scope) in scopes.enumerated() {
            scope.onClose {
                if number == 1 { await mayEnd.pass() }
                log.add("\(number)")
            }
        }
        let closing = Task { await app.close() }
        while log.lines.count < 2 { await Task.yield() }
        #expect(log.lines.sorted() == ["0", "2"])
        mayEnd.open()
        await closing.value
        #expect(log.lines.last == "1")
    }

    @Test("What keeps nothing to end stays open, and so does a scope of another root") func others() async {
        let app = bodies.app
        let idle = EnvironmentScope.empty("idle", parent: app)
        let root = EnvironmentScope.empty("root", parent: nil)
        root.onClose {}
        await app.close()
        #expect(!idle.isClosed && !root.isClosed)
        await root.close()
    }
}
