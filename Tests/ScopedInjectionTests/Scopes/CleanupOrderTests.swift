import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var limits: ScopeValue<Int> { .value(10) }
    fileprivate static var pool: ScopeValue<Product> { .lazy { try $0.product("pool \(try $0.limits)") } }
    /// Built from the pool, as the one of each user.
    fileprivate static func session(_ user: Int) -> ScopeValue<Product> {
        .lazy(id: user) { try $0.product("session \(user) of \(try $0.pool.text)") }
    }
}

@Suite("R11: what was built from a value is cleaned up before that, also if it is replaced or discarded", .programRoots)
struct CleanupOrderTests {
    private let (app, log): (EnvironmentScope, Log)

    init() { (app, log) = makeLoggedApp() }

    /// Eight sessions of a pool, in an order that no table has.
    private func readAll() { for user in 0..<8 { _ = app[ScopeValues.session(user)] } }

    private var lastFirst: [String] { (0..<8).reversed().map { "session \($0) of pool 10" } + ["pool 10"] }

    @Test("What was built from a value is cleaned up before that, whatever lets go of them", arguments: 0..<5)
    func order(way: Int) async {
        readAll()
        switch way {
        case 0: app.limits = 20
        case 1: app.provide(\.pool) { _ in Product("another") }
        case 2: app.removeValue(for: \.pool)
        case 3: await app.discardBuiltValues(\.pool)
        default: await app.discardBuiltValues()
        }
        await app.close()
        #expect(log.lines == lastFirst)
    }

    @Test("What was let go of before has no turn in a closing, but ends before what it was built from")
    func between() async {
        let log = log
        _ = app.pool
        app.onClose { log.add("server") }
        _ = app[ScopeValues.session(1)]
        app.removeValue(for: { $0.session(1) })
        _ = app[ScopeValues.session(2)]
        await app.close()
        let lines = log.lines
        #expect(lines.filter { !$0.hasPrefix("session 1") } == ["session 2 of pool 10", "server", "pool 10"])
        #expect(lines.dropLast().contains("session 1 of pool 10"))
    }
}
