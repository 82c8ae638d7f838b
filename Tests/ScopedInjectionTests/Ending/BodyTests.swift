import ScopedInjection
import Testing

@Suite("R11: a change waits for who runs further in; nothing ends under it", .programRoots, .timeLimit(.minutes(10)))
struct BodyTests {
    enum Change: CaseIterable { case set, provide, decorate, removal, discard, update, reload }

    private let bodies = Bodies()

    @Test("What a change lets go of ends once all have left that ran further in", arguments: Change.allCases)
    func change(change: Change) async throws {
        let (app, log) = (bodies.app, bodies.log)
        app.poolSize = 7
        let body = await bodies.start()
        switch change {
        case .set: app.poolSize = 2
        case .provide: app.provide(\.sizedPool) { _ in Product("provided") }
        case .decorate: app.decorate(\.sizedPool) { pool, _ in pool }
        case .removal: app.removeValue(for: \.poolSize)
        case .discard: await app.discardBuiltValues(\.sizedPool)
        case .update: try app.update { $0.poolSize = 2 }
        case .reload: try await app.reload { $0.poolSize = 2 }
        }
        #expect(log.lines.isEmpty)
        bodies.letLeave()
        await body.value
        while log.lines.count < 2 { await Task.yield() }
        #expect(log.lines == ["left", "pool 7"])
    }

    @Test("However code runs there, it is known, and two changes wait for it", arguments: Bodies.Way.allCases)
    func ways(way: Bodies.Way) async {
        let (app, log) = (bodies.app, bodies.log)
        let body = await bodies.start(way)
        app.poolSize = 2
        _ = app.sizedPool
        app.poolSize = 3
        #expect(log.lines.isEmpty)
        bodies.letLeave()
        await body.value
        #expect(log.lines.first == "left" && log.lines.sorted() == ["left", "pool 1", "pool 2"])
    }

    @Test("Who comes later, and who runs in the changed scope itself, is not waited for") func others() async {
        let (app, log, later) = (bodies.app, bodies.log, Barrier())
        await app {
            let body = await bodies.start()
            app.poolSize = 2
            let second = await bodies.start(leaves: later)
            bodies.letLeave()
            await body.value
            #expect(log.lines == ["left", "pool 1"])
            app.poolSize = 3
            #expect(log.lines == ["left", "pool 1"])
            later.open()
            await second.value
            #expect(log.lines == ["left", "pool 1", "left", "pool 2"])
            _ = app.sizedPool
            app.poolSize = 4
            #expect(log.lines.last == "pool 3")
        }
    }

    @Test("What a later read finds out of date is held by who runs in its scope") func foundLate() async {
        let (app, log) = (bodies.app, bodies.log)
        let (begun, mayRead, mayLeave) = (Barrier(), Barrier(), Barrier())
        let body = Task {
            await app.withChild("request") {
                $0.log = log
            } operation: {
                let pool = EnvironmentScope.current.sizedPool
                begun.open()
                await mayRead.pass()
                #expect(EnvironmentScope.current.sizedPool !== pool)
                log.add("read")
                await mayLeave.pass()
                log.add("left")
            }
        }
        await begun.pass()
        app.poolSize = 2
        mayRead.open()
        while log.lines.isEmpty { await Task.yield() }
        #expect(log.lines == ["read"])
        mayLeave.open()
        await body.value
        #expect(log.lines.sorted() == ["left", "pool 1", "pool 2", "read"])
        #expect(log.lines.prefix(2) == ["read", "left"])
    }
}
