import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var hangs: ScopeValue<Barrier> { .lazy { _ in Barrier() } }
    fileprivate static var who: ScopeValue<String> { .value("nobody") }
    fileprivate static var pool: ScopeValue<Product> { .lazy { $0.withCleanup(Product("pool")) } }
    fileprivate static var session: ScopeValue<Product> {
        .lazy { reader in
            let hangs = try reader.hangs
            _ = (try reader.who, try reader.pool)
            reader.onClose { await hangs.pass() }
            return Product("session")
        }
    }
}

@Suite("R11: a closing with a limit returns, and names what has not ended", .programRoots, .timeLimit(.minutes(20)))
struct LimitTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let short = Duration.milliseconds(20)

    @Test("What hangs is named, with what waits for it; all else ends, and that goes on", arguments: [true, false])
    func names(isUnderWay: Bool) async {
        let (app, events, log, short) = (app, app.events(), Log(), short)
        app.onClose { log.add("first registered") }
        _ = app.session
        app.onClose { log.add("last registered") }
        let closing = isUnderWay ? startAtOnce { await app.close() } : nil
        #expect(await app.close(within: short) == ["pool", "session"])
        #expect(log.lines == ["last registered", "first registered"])
        #expect(!app.isClosed)
        #expect(events.value.filter { $0.kind == .cleanupOverdue }.compactMap(\.name).sorted() == ["pool", "session"])
        #expect(events.value.contains { $0.kind == .cleanupBegan && $0.name == "session" })
        app.hangs.open()
        await closing?.value
        await app.close()
        #expect(app.isClosed)
    }

    @Test("Without anything that hangs there are no names") func nothing() async {
        _ = app.pool
        #expect(await app.close(within: .seconds(600)) == [])
        #expect(await app.close(within: .zero) == [])
        #expect(app.isClosed)
    }

    @Test("A cleanup of the scope is named by its place") func place() async {
        let hangs = app.hangs
        app.onClose { await hangs.pass() }
        let names = await app.close(within: short)
        #expect(names.count == 1 && names.first?.contains("LimitTests.swift:") == true)
        hangs.open()
        await app.close()
    }

    @Test("The scopes in which somebody runs are named; at half of the limit the ends begin under them")
    func furtherIn() async {
        let (app, begun, mayEnd) = (app, Barrier(), Barrier())
        let request = Task {
            await app.withChild("request") {
                $0.who = "Ada"
            } operation: {
                _ = EnvironmentScope.current.session
                begun.open()
                await mayEnd.pass()
            }
        }
        await begun.pass()
        let names = await app.close(within: short)
        #expect(names.contains("what runs in \"request\""))
        mayEnd.open()
        app.hangs.open()
        await request.value
        await app.close()
    }

    @Test("withChild returns at its limit") func withChild() async {
        let hangs = app.hangs
        let result = await app.withChild("request", closingWithin: short) {
            EnvironmentScope.current.onClose { await hangs.pass() }
            return 1
        }
        #expect(result == 1)
        hangs.open()
    }

    @Test("explain and the graph say what is being ended, and what is being built") func seeing() async {
        let app = app
        _ = app.session
        await app.close(within: short)
        #expect(
            app.explain(\.session).line.firstMatch(of: /: its own default \([^ ]+\), being ended for \d+ m?s$/) != nil
        )
        #expect(app.graph.description.contains("session in \"app\" (being ended for"))
        app.hangs.open()
        await app.close()
        #expect(app.explain(\.session).line.hasSuffix("), not built yet"))
        let probe = Probe()
        app.provide(\.who) { _ in
            probe.noteBuild()
            return "Ada"
        }
        let reading = onThread { #expect(app.who == "Ada") }
        await probe.started.passed()
        #expect(app.explain(\.who).line.hasSuffix("), being built"))
        #expect(app.graph.description.contains("who in \"app\" (provided, being built)"))
        app.observe { _ in }
        probe.mayEnd.open()
        await reading.passed()
        #expect(app.explain(\.who).line.hasSuffix("), built and kept in \"app\""))
    }
}
