import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var numbers: ScopeValue<Box<Int>> { .lazy { _ in Box(0) } }
    fileprivate static var limits: ScopeValue<Int> { .value(10) }
    fileprivate static var pool: ScopeValue<Product> {
        .lazy { reader in
            _ = try reader.limits
            let number = try reader.numbers.next()
            return try reader.product("\(number)", saying: "pool \(number)")
        }
    }
    fileprivate static var outbox: ScopeValue<Product> {
        .lazy { reader in
            let (log, pool) = (try reader.log, try reader.pool)
            reader.onClose { () async in log.add("outbox on \(pool.text)") }
            return Product("outbox on \(pool.text)")
        }
    }
    fileprivate static var work: ScopeValue<Probe> { .required() }
    /// Stops in its builder, after it has registered its cleanup.
    fileprivate static var slow: ScopeValue<Product> {
        .lazy { reader in
            let (log, pool) = (try reader.log, try reader.pool)
            reader.onClose { log.add("slow on \(pool.text)") }
            try reader.work.noteBuild()
            return Product(pool.text)
        }
    }
}

@Suite("R11: a value goes when its turn in a closing begins, and a build is a user of what it has read", .programRoots)
struct TurnTests {
    private let (app, log): (EnvironmentScope, Log)

    init() { (app, log) = makeLoggedApp() }

    @Test("Two cleanups share what the first of them builds") func shared() async {
        let log = log
        for name in ["audit", "receipt"] {
            app.onClose { log.add("\(name) by \(EnvironmentScope.current.outbox.text)") }
        }
        await app.close()
        #expect(log.lines == ["receipt by outbox on 1", "audit by outbox on 1", "outbox on 1", "pool 1"])
    }

    @Test("While the ends run, a cleanup is given what has not had its turn, who comes from outside the error closed")
    func reads() async {
        let (log, begun, mayEnd) = (log, Barrier(), Barrier())
        app.onClose {
            begun.open()
            await mayEnd.pass()
            log.add("last")
        }
        _ = app.pool
        let app = app
        app.onClose { log.add("first by pool \(app.pool.text)") }
        let closing = Task { await app.close() }
        await begun.pass()
        #expect(throws: ScopeError.self) { try app.value(for: \.pool) }
        mayEnd.open()
        await closing.value
        #expect(log.lines.filter { !$0.hasPrefix("pool 2") } == ["first by pool 1", "pool 1", "last"])
        let error = #expect(throws: ScopeError.self) { try app.value(for: \.pool) }
        #expect(error?.code == .closed)
    }

    @Test("What is read in the cleanup of what was built last is the error closed") func late() async {
        let (log, app) = (log, app)
        app.provide(\.outbox) {
            $0.withCleanup(Product("outbox")) {
                log.add((try? EnvironmentScope.current.value(for: \.pool))?.text ?? "closed")
            }
        }
        app.onClose { _ = app.outbox }
        await app.close()
        #expect(log.lines.contains("closed"))
    }

    enum End: CaseIterable { case change, discard, discardAll, close }

    @Test("The cleanup of a build thrown away, or refused, comes before that of what it read", arguments: End.allCases)
    func build(end: End) async {
        let (log, app, probe) = (log, app, Probe())
        app.work = probe
        let reading = onThread { _ = try? app.value(for: \.slow) }
        await probe.started.passed()
        let ending = startAtOnce {
            switch end {
            case .change: app.limits = 20
            case .discard: await app.discardBuiltValues(\.pool)
            case .discardAll: await app.discardBuiltValues()
            case .close: await app.close()
            }
            log.add("returned")
        }
        #expect(log.lines == (end == .change ? ["returned"] : []))
        probe.mayEnd.open()
        await ending.value
        await reading.passed()
        await app.close()
        let lines = log.lines.filter { end != .change || $0 != "returned" }
        // A change leaves the builder to run again, and that one's cleanup to end on its own.
        let own = lines.filter { $0.hasSuffix("1") }
        #expect(own.first == "slow on 1")
        if end != .change { #expect(lines.firstIndex(of: "returned") ?? 0 > 0) }
        #expect(lines.contains("pool 1"))
    }
}
