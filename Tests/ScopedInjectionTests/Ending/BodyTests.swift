import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var log: ScopeValue<Log> { .required() }
    fileprivate static var size: ScopeValue<Int> { .value(1) }
    fileprivate static var pool: ScopeValue<Product> {
        .lazy { reader in
            let (number, log) = (try reader.size, try reader.log)
            reader.onClose { log.add("pool \(number)") }
            return Product("\(number)")
        }
    }
    fileprivate static var transaction: ScopeValue<Product> {
        .lazy(.once(in: .request)) { reader in
            let (pool, log) = (try reader.pool, try reader.log)
            reader.onClose { log.add("transaction on \(pool.text)") }
            return Product(pool.text)
        }
    }
}

/// An application, and code that runs in scopes of it until it may leave.
private final class Bodies: Sendable {
    let log = Log()
    let app: EnvironmentScope
    private let mayLeave = Barrier()

    init() {
        let log = log
        app = EnvironmentScope("app", role: .application, parent: nil) { $0.log = log }
    }

    /// How code comes to run in a scope of the application, or further in.
    enum Way: CaseIterable { case withChild, entered, second, bound, boundAsync, furtherIn }

    /// Starts a body that reads the pool, and adds a line when it leaves; returns once it runs.
    func start(_ way: Way = .withChild, leaves mayLeave: Barrier? = nil) async -> Task<Void, Never> {
        let (app, log, begun, mayLeave) = (app, log, Barrier(), mayLeave ?? self.mayLeave)
        @Sendable func body() async {
            _ = EnvironmentScope.current.pool
            begun.open()
            await mayLeave.pass()
            log.add("left")
        }
        let request = EnvironmentScope.empty("request", role: .request, parent: app)
        let task = Task.detached {
            switch way {
            case .withChild: await app.withChild("request", role: .request) { await body() }
            case .entered: await request { await body() }
            case .second:
                let (other, goes) = (Barrier(), Barrier())
                let first = Task.detached {
                    await request {
                        other.open()
                        await goes.pass()
                    }
                }
                await other.pass()
                await request {
                    goes.open()
                    await first.value
                    await body()
                }
            case .bound:
                let gate = Gate()
                let bound = request.bind { () -> Void in
                    _ = EnvironmentScope.current.pool
                    begun.open()
                    gate.wait()
                    log.add("left")
                }
                let call = onThread { bound() }
                await mayLeave.pass()
                gate.open()
                await call.passed()
            case .boundAsync: await request.bind { () async -> Void in await body() }()
            case .furtherIn: await request.withChild("part") { await body() }
            }
        }
        await begun.pass()
        return task
    }

    func letLeave() { mayLeave.open() }
}

@Suite(
    "R11: a change waits for who runs further in, and nothing ends under it",
    .programRoots,
    .timeLimit(.minutes(10))
)
struct BodyTests {
    enum Change: CaseIterable { case set, provide, decorate, removal, discard, update, reload }

    private let bodies = Bodies()

    @Test("What a change lets go of ends once all have left that ran further in", arguments: Change.allCases)
    func change(change: Change) async throws {
        let (app, log) = (bodies.app, bodies.log)
        app.size = 7
        let body = await bodies.start()
        switch change {
        case .set: app.size = 2
        case .provide: app.provide(\.pool) { _ in Product("provided") }
        case .decorate: app.decorate(\.pool) { pool, _ in pool }
        case .removal: app.removeValue(for: \.size)
        case .discard: await app.discardBuiltValues(\.pool)
        case .update: try app.update { $0.size = 2 }
        case .reload: try await app.reload { $0.size = 2 }
        }
        #expect(log.lines.isEmpty)
        bodies.letLeave()
        await body.value
        while log.lines.count < 2 { await Task.yield() }
        #expect(log.lines == ["left", "pool 7"])
    }

    @Test("However code runs there, it is known", arguments: Bodies.Way.allCases)
    fileprivate func ways(way: Bodies.Way) async {
        let (app, log) = (bodies.app, bodies.log)
        let body = await bodies.start(way)
        app.size = 2
        #expect(log.lines.isEmpty)
        bodies.letLeave()
        await body.value
        #expect(log.lines == ["left", "pool 1"])
    }

    @Test("Who comes later, and who runs in the changed scope itself, is not waited for")
    func others() async {
        let (app, log, later) = (bodies.app, bodies.log, Barrier())
        await app {
            let body = await bodies.start()
            app.size = 2
            let second = await bodies.start(leaves: later)
            bodies.letLeave()
            await body.value
            #expect(log.lines == ["left", "pool 1"])
            app.size = 3
            #expect(log.lines == ["left", "pool 1"])
            later.open()
            await second.value
            #expect(log.lines == ["left", "pool 1", "left", "pool 2"])
            _ = app.pool
            app.size = 4
            #expect(log.lines.last == "pool 3")
        }
    }

    @Test("What a later read finds out of date is held by who runs in its scope")
    func foundLate() async {
        let (app, log) = (bodies.app, bodies.log)
        let (begun, mayRead, mayLeave) = (Barrier(), Barrier(), Barrier())
        let body = Task {
            await app.withChild("request") {
                $0.log = log
            } operation: {
                let pool = EnvironmentScope.current.pool
                begun.open()
                await mayRead.pass()
                #expect(EnvironmentScope.current.pool !== pool)
                log.add("read")
                await mayLeave.pass()
                log.add("left")
            }
        }
        await begun.pass()
        app.size = 2
        mayRead.open()
        while log.lines.isEmpty { await Task.yield() }
        #expect(log.lines == ["read"])
        mayLeave.open()
        await body.value
        #expect(log.lines.sorted() == ["left", "pool 1", "pool 2", "read"])
        #expect(log.lines.prefix(2) == ["read", "left"])
    }
}

@Suite("R11: a closing waits until nobody runs inside", .programRoots, .timeLimit(.minutes(10)))
struct DrainingTests {
    private let bodies = Bodies()

    @Test("Meanwhile all is given as before, also to who enters; then the ends begin", arguments: Bodies.Way.allCases)
    fileprivate func closing(way: Bodies.Way) async {
        let (app, log) = (bodies.app, bodies.log)
        let events = Box<[ScopeEvent]>([])
        app.observe { event in if event.kind == .draining { events.update { $0.append(event) } } }
        let body = await bodies.start(way)
        #expect(!app.isClosing)
        let closing = startAtOnce {
            await app.close()
            log.add("closed")
        }
        while events.value.isEmpty { await Task.yield() }
        #expect(app.isClosing && !app.isClosed)
        #expect("\(events.value[0])".contains(way == .furtherIn ? "\"part\"" : "\"request\""))
        let pool = app.pool
        #expect(await app.withChild("late") { EnvironmentScope.current.pool } === pool)
        #expect(log.lines.isEmpty)
        bodies.letLeave()
        await body.value
        await closing.value
        #expect(log.lines == ["left", "pool 1", "closed"])
    }

    @Test("The end of withChild waits for others in it")
    func withChild() async {
        let (app, log, begun, mayLeave) = (bodies.app, bodies.log, Barrier(), Barrier())
        let other = Box<Task<Void, Never>?>(nil)
        let request = Task {
            await app.withChild("request", role: .request) {
                let scope = EnvironmentScope.current
                _ = scope.transaction
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
                _ = EnvironmentScope.current.transaction
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
                        _ = EnvironmentScope.current.transaction
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

    @Test("A signal in the body of the program lets the requests go to their end")
    func signal() async {
        let (log, begun, mayLeave) = (bodies.log, Barrier(), Barrier())
        await EnvironmentScope.withScope("server", role: .application) {
            $0.log = log
        } operation: { server in
            let request = Task {
                await server.withChild("request", role: .request) {
                    _ = EnvironmentScope.current.transaction
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
        let pool = app.pool
        app.onClose {
            begun.open()
            // A cleanup is given what has not had its turn, also in a task of its own.
            await Task.yield()
            #expect(EnvironmentScope.current.pool === pool)
            await mayEnd.pass()
            #expect(EnvironmentScope.current.pool === pool)
        }
        let closing = Task { await app.close() }
        await begun.pass()
        await app.withChild("late") {
            let error = #expect(throws: ScopeError.self) { try EnvironmentScope.current.value(for: \.pool) }
            #expect(error?.code == .closed)
            #expect(EnvironmentScope.current.size == 1)
        }
        mayEnd.open()
        await closing.value
        #expect(log.lines == ["pool 1"])
    }
}

@Suite(
    "R11: a closing closes the scopes further in that keep something to end",
    .programRoots,
    .timeLimit(.minutes(10))
)
struct ClosingFurtherInTests {
    private let bodies = Bodies()

    @Test("One that was never entered, and one below it, each after those further in")
    func forgotten() async {
        let (app, log) = (bodies.app, bodies.log)
        let tenant = EnvironmentScope.empty("tenant", role: .request, parent: app)
        let request = EnvironmentScope.empty("request", role: .request, parent: tenant)
        tenant.onClose { log.add("tenant") }
        _ = (tenant.transaction, request.transaction)
        request.onClose { log.add("request") }
        await app.close()
        #expect(log.lines == ["request", "transaction on 1", "transaction on 1", "tenant", "pool 1"])
        #expect(tenant.isClosed && request.isClosed)
    }

    @Test("Those side by side end at once, so that one that hangs holds up no other one")
    func sideBySide() async {
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

    @Test("What keeps nothing to end stays open, and so does a scope of another root")
    func others() async {
        let app = bodies.app
        let idle = EnvironmentScope.empty("idle", parent: app)
        let root = EnvironmentScope.empty("root", parent: nil)
        root.onClose {}
        await app.close()
        #expect(!idle.isClosed && !root.isClosed)
        await root.close()
    }
}
