import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var disturbance: ScopeValue<@Sendable () -> Void> { .value({}) }
    fileprivate static var pool: ScopeValue<Product> { .lazy { try $0.product("pool") } }
    fileprivate static var query: ScopeValue<Product> {
        .lazy(.transient) { reader in
            let pool = try reader.pool
            try reader.disturbance()
            return Product("a report on \(pool.text)")
        }
    }
    fileprivate static var session: ScopeValue<Product> {
        .lazy { reader in
            let log = try reader.log
            _ = try reader.pool
            reader.onClose { log.add("session") }
            try reader.disturbance()
            return Product("session")
        }
    }
    fileprivate static var report: ScopeValue<Product> {
        .lazy { reader in
            let log = try reader.log
            let query = try reader.query
            // A cleanup that may run has begun before these end.
            elsewhere { for _ in 0..<100 { onThread {}.wait() } }
            reader.onClose { log.add(query.text) }
            return query
        }
    }
}

@Suite("R11: what is given and not kept is waited for by its inputs alone", .programRoots, .timeLimit(.minutes(20)))
struct UnkeptEndTests {
    private let app = EnvironmentScope("app", parent: nil) { $0.log = Log() }

    @Test("Who discards its input each time does not wait for its scope to be closed") func discards() async {
        let calls = Box<[Task<Void, Never>]>([])
        app.disturbance = { [unowned app] in
            let isGone = Gate()
            app.observe { event in if event.kind == .discarded, event.name == "pool" { isGone.open() } }
            calls.update { $0.append(Task.detached { await app.discardBuiltValues(\.pool) }) }
            isGone.wait()
        }
        let given = await Elsewhere.thread.run { [app] in givenDespiteChanges { try app.value(for: \.session) } }
        #expect(given == nil)
        let count = calls.value.count
        #expect(count >= 4)
        for call in calls.value { await call.value }
        let cleanups = Array(repeating: "pool", count: count) + Array(repeating: "session", count: count)
        #expect(app.log.lines.sorted() == cleanups)
    }

    @Test("A part without cleanups passes its wait on to what is built from it") func part() async throws {
        let made = Box(0)
        app.disturbance = { [unowned app] in app.provide(\.pool) { try $0.product("pool \(made.next())") } }
        _ = await Elsewhere.thread.run { [app] in givenDespiteChanges { try app.value(for: \.report) } }
        await app.close()
        // The last run reads the last new one.
        let last = "pool \(made.value)"
        #expect(made.value >= 3 && app.log.lines.filter { $0.hasSuffix(last) } == ["a report on \(last)", last])
    }
}
