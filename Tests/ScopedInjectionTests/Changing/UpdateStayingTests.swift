import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var limit: ScopeValue<Int> { .value(1) }
    fileprivate static var pool: ScopeValue<Thing> {
        .lazy(.once(in: .application)) { reader in
            let (limit, log) = (try reader.limit, try reader.log)
            reader.onClose { log.add("end of pool \(limit)") }
            return Thing("pool \(limit) in \(EnvironmentScope.current.name ?? "-")")
        }
    }
    fileprivate static var worker: ScopeValue<Thing> { .lazy { Thing("worker", try $0.pool) } }
    fileprivate static var transaction: ScopeValue<Thing> {
        .lazy(.once(in: .request)) { try $0.withCleanup(Thing("transaction", $0.pool), saying: "end of transaction") }
    }
}

@Suite("R18: an update begins what stays anew only where that is named", .programRoots)
struct UpdateStayingTests {
    private let log = Log()
    private let app: EnvironmentScope
    private let request: EnvironmentScope

    init() {
        app = EnvironmentScope.empty("app", role: .application, parent: nil).with(\.log, log)
        request = EnvironmentScope.empty("request", role: .request, parent: app)
    }

    @Test("What stays is given on when an input has changed, and the event names it") func staying() throws {
        let events = app.events(of: .updated)
        let (pool, worker, transaction) = (app.pool, app.worker, request.transaction)
        try app.update { $0.limit = 2 }
        #expect(app.pool === pool && app.worker === worker)
        #expect(request.transaction === transaction)
        #expect(events.value.first?.description == "updated \"app\": limit; built from what was there before: pool")
        app.log = Log()
        try app.update { $0.provide(\.worker) { Thing("other", try $0.pool) } }
        #expect(events.value.last?.description == "updated \"app\": worker")
    }

    @Test("What is named is begun as the changed scope begins it, and what was built from it is built anew")
    func rebuilding() async throws {
        let (pool, transaction) = (app.pool, request.transaction)
        _ = app.worker
        try app.update(rebuilding: \.pool) { $0.limit = 2 }
        #expect(app.pool !== pool && app.pool.text == "pool 2 in app")
        #expect(app.localValue(for: \.pool) === app.pool)
        #expect(app.localValue(for: \.worker)?.other === app.pool)
        #expect(request.transaction === transaction)
        #expect(log.lines.isEmpty)
        await request.close()
        await log.wait(for: "end of pool 1")
        #expect(log.lines == ["end of transaction", "end of pool 1"])
    }

    @Test("What an update sets or provides of it is as after a change one by one") func ofItself() throws {
        _ = app.worker
        try app.update { $0.pool = Thing("set") }
        #expect(app.localValue(for: \.worker)?.other?.text == "set")
        try app.update { $0.provide(\.pool) { Thing("provided with \(try $0.limit)") } }
        let provided = app.pool
        try app.update { $0.limit = 6 }
        #expect(app.pool === provided)
        try app.update(rebuilding: \.pool) { _ in }
        #expect(app.pool.text == "provided with 6")
    }

    @Test("What is decorated is begun anew over what it is without that") func decorated() throws {
        app.decorate(\.pool) { inner, reader in Thing("decorated with \(try reader.limit)", inner) }
        let pool = app.pool
        try app.update(rebuilding: \.pool) { $0.limit = 5 }
        #expect(app.pool !== pool && app.pool.text == "decorated with 5")
        #expect(app.pool.other?.text == "pool 5 in app" && app.pool.other?.other == nil)
    }

    @Test("What begins in an update sees its changes, stays once it is made, and else ends", arguments: [true, false])
    func begun(isMade: Bool) async throws {
        app.provide(\.worker) { Thing("on", try $0.limit > 1 ? $0.pool : nil) }
        let worker = app.worker
        #expect(worker.other == nil)
        try? app.update {
            $0.limit = 2
            if !isMade { $0.provide(\.worker) { reader in throw Failed(pool: try reader.pool) } }
        }
        #expect(app.localValue(for: \.pool)?.text == (isMade ? "pool 2 in app" : nil))
        #expect(app.worker.other === (isMade ? app.pool : nil))
        #expect(log.lines == (isMade ? [] : ["end of pool 2"]))
        _ = request.transaction
        #expect(request.transaction.other?.text == (isMade ? "pool 2 in app" : "pool 1 in app"))
        try app.update { #expect($0.pool === app.pool) }
    }

    @Test("It begins in the update also where its builder is provided nearer than its role, and by a scope made there")
    func begunNearer() throws {
        let child = EnvironmentScope("child", parent: app) { $0.provide(\.pool) { Thing("child's \(try $0.limit)") } }
        try child.update {
            $0.limit = 2
            #expect(EnvironmentScope("inner") { _ in }.pool.text == "child's 2")
        }
        #expect(child.localValue(for: \.pool)?.text == "child's 2")
    }

    @Test("Where another one has begun meanwhile, that stays, and the update is refused")
    func begunMeanwhile() throws {
        let app = app
        let error = #expect(throws: ScopeError.self) {
            try app.update {
                $0.limit = 2
                _ = $0.pool
                elsewhere { _ = app.pool }
            }
        }
        #expect(error?.code == .invalid && app.pool.text == "pool 1 in app" && app.limit == 1)
        #expect(log.lines == ["end of pool 2"])
    }

    @Test("A request's writes are in one transaction, whatever changes in its middle", arguments: 0..<3)
    func inMidRequest(_ form: Int) async throws {
        let app = app
        let transaction = request.transaction
        switch form {
        case 0: app.limit = 20
        case 1: try await app.reload { $0.limit = 20 }
        default:
            await request.withChild("report") {
                $0.limit = 20
            } operation: {
                #expect(EnvironmentScope.current.transaction === transaction)
            }
        }
        #expect(request.transaction === transaction)
        #expect(log.lines.isEmpty)
    }
}

private struct Failed: Error { let pool: Thing }
