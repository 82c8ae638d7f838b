import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var hangs: ScopeValue<Barrier> { .lazy { _ in Barrier() } }
    fileprivate static var config: ScopeValue<Int> { .value(0) }
    fileprivate static var who: ScopeValue<String> { .value("nobody") }
    /// Number 0 does not end before the barrier is open.
    fileprivate static var pool: ScopeValue<Product> {
        .lazy { reader in
            let (number, log, hangs) = (try reader.config, try reader.log, try reader.hangs)
            reader.onClose {
                if number == 0 { await hangs.pass() }
                log.add("pool \(number)")
            }
            return Product("\(number)")
        }
    }
    fileprivate static var session: ScopeValue<Product> {
        .lazy { reader in
            let text = "\(try reader.who) on \(try reader.pool.text)"
            return try reader.product(text, saying: "session of \(text)")
        }
    }
    fileprivate static var transaction: ScopeValue<Product> {
        .lazy(.once(in: .request)) { try $0.product("transaction on \(try $0.pool.text)") }
    }
    /// Without cleanups.
    fileprivate static var link: ScopeValue<Product> { .lazy { try $0.pool } }
    fileprivate static var unit: ScopeValue<Product> { .lazy(.once(in: .request)) { try $0.pool } }
    fileprivate static var other: ScopeValue<Product> {
        .lazy { reader in
            let log = try reader.log
            reader.onClose { () async in log.add("other") }
            return Product("other")
        }
    }
}

@Suite("R11: nothing ends before what was built from it, or waits for others", .programRoots, .timeLimit(.minutes(20)))
struct IndependentEndTests {
    private let (app, log): (EnvironmentScope, Log)

    init() { (app, log) = makeLoggedApp() }

    @Test("A cleanup that hangs holds up neither later ones nor a discard of something else, and a close waits for it")
    func hanging() async {
        _ = app.other
        for number in 1...3 {
            _ = app.pool
            app.config = number
        }
        await app.discardBuiltValues(\.other)
        await log.wait(for: "pool 2")
        #expect(log.lines.sorted() == ["other", "pool 1", "pool 2"])
        let (app, log) = (app, log)
        let closing = startAtOnce {
            await app.close()
            log.add("closed")
        }
        app.hangs.open()
        await closing.value
        #expect(log.lines.suffix(2) == ["pool 0", "closed"])
    }

    @Test("Of two that one change lets run, one that hangs does not hold up the other") func hangingBeside() async {
        _ = (app.other, app.pool)
        app.log = Log()
        await log.wait(for: "other")
        app.hangs.open()
        await app.close()
        #expect(log.lines == ["other", "pool 0"])
    }

    @Test("Ten thousand reloads end, though the first one's cleanup hangs") func manyReloads() async {
        for number in 1...10_000 {
            _ = app.pool
            app.config = number
        }
        await log.wait(for: "pool 9999")
        while log.lines.count < 9_999 { await Task.yield() }
        #expect(!log.lines.contains("pool 0"))
        app.hangs.open()
        await app.close()
        #expect(Set(log.lines).count == 10_000)
    }

    @Test("A change waits for what a request has built from the value, until that ends") func draining() async {
        let request = EnvironmentScope("request", role: .request, parent: app) { $0.who = "Ada" }
        app.config = 1
        #expect(request.session.text == "Ada on 1")
        app.config = 2
        #expect(app.pool.text == "2")
        await app.discardBuiltValues(\.other)
        #expect(log.lines.isEmpty)
        await request.close()
        await log.wait(for: "pool 1")
        #expect(log.lines == ["session of Ada on 1", "pool 1"])
    }

    @Test(
        "So it does where the value was there before, lies behind one without cleanups, or behind one that has begun",
        arguments: 0..<3,
        [true, false]
    )
    func held(way: Int, isReadBefore: Bool) async {
        app.config = 1
        let request = EnvironmentScope.empty("request", role: .request, parent: app)
        let part = EnvironmentScope.empty("part", parent: request)
        part.provide(\.session) { [log] reader in
            let pool = try reader[[ScopeValues.pool, ScopeValues.link, ScopeValues.unit][way]]
            reader.onClose { log.add("session") }
            return pool
        }
        if isReadBefore { _ = (app.link, request.unit) }
        _ = part.session
        app.config = 2
        for scope in [request, app] { await scope.discardBuiltValues(\.pool, \.unit) }
        #expect(log.lines.isEmpty)
        await part.close()
        await log.wait(for: "pool 1")
        #expect(log.lines == ["session", "pool 1"])
    }

    @Test("A discard lets go of what the scope keeps; what requests have built holds that, and nobody waits for it")
    func discarding() async {
        app.config = 1
        let request = EnvironmentScope("request", role: .request, parent: app) { $0.who = "Ada" }
        let (session, transaction, pool) = (request.session, request.transaction, app.pool)
        await app.discardBuiltValues(\.pool)
        #expect(log.lines.isEmpty)
        #expect(app.pool !== pool)
        // What follows its inputs is out of date, and what has begun stays.
        #expect(request.session !== session && request.transaction === transaction)
        #expect(log.lines == ["session of Ada on 1"])
        await request.close()
        await log.wait(for: "pool 1")
        #expect(log.lines.suffix(2) == ["transaction on 1", "pool 1"])
    }

    @Test("What has begun ends by a discard that names it, and not by one of what it was built from")
    func discardingWhatStays() async {
        app.config = 1
        let request = EnvironmentScope.empty("request", role: .request, parent: app)
        _ = (request.transaction, request.unit)
        for scope in [app, request] { await scope.discardBuiltValues(\.pool) }
        #expect(log.lines.isEmpty)
        await request.discardBuiltValues(\.transaction)
        // The other one that has begun holds the pool, though it has no cleanups itself.
        await app.discardBuiltValues(\.pool)
        #expect(log.lines == ["transaction on 1"])
        await app.close()
    }

    @Test("A request's cleanup may discard what the request was built from", arguments: [true, false], [true, false])
    func discardingInACleanup(stays: Bool, isChangedBefore: Bool) async {
        let request = EnvironmentScope("request", role: .request, parent: app) { $0.who = "Ada" }
        app.config = 1
        _ = stays ? request.transaction : request.session
        if isChangedBefore { app.config = 2 }
        request.onClose { [app] in await app.discardBuiltValues(\.pool) }
        await request.close()
        await app.close()
        #expect(log.lines == [stays ? "transaction on 1" : "session of Ada on 1", "pool 1"])
    }

    @Test("A request may discard what its transaction was built from, and does not wait", arguments: [true, false])
    func discardingInARequest(isAll: Bool) async {
        app.config = 1
        let (app, log) = (app, log)
        await app.withChild("request", role: .request) {
            let transaction = EnvironmentScope.current.transaction
            if isAll { await app.discardBuiltValues() } else { await app.discardBuiltValues(\.pool) }
            #expect(log.lines == [])
            #expect(EnvironmentScope.current.transaction === transaction)
        }
        #expect(log.lines.first == "transaction on 1")
        await app.close()
        #expect(log.lines == ["transaction on 1", "pool 1"])
    }

    @Test("A cleanup may close the scope that keeps what its value was built from") func closingInACleanup() async {
        let app = app
        app.provide(\.session) { [log, unowned app] reader in
            _ = (try reader.who, try reader.pool)
            reader.onClose {
                await app.close()
                log.add("session")
            }
            return Product("session")
        }
        app.config = 1
        _ = app.session
        app.who = "Ada"
        await log.wait(for: "session")
        await app.close()
        #expect(log.lines == ["session", "pool 1"])
    }

    @Test("A request that closes the application does not wait for itself", arguments: [true, false])
    func closingFromARequest(isReloadedBefore: Bool) async {
        app.config = 1
        let app = app
        await app.withChild("request") {
            $0.who = "Ada"
        } operation: {
            _ = EnvironmentScope.current.session
            if isReloadedBefore { app.config = 2 }
            await app.close()
            #expect(app.isClosed)
        }
        // The body itself has held what it replaced.
        await log.wait(for: "pool 1")
        #expect(log.lines == ["session of Ada on 1", "pool 1"])
    }
}
