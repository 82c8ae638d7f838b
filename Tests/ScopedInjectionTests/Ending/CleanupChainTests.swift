import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var label: ScopeValue<String> { .required() }
    fileprivate static var config: ScopeValue<Int> { .value(0) }
    fileprivate static var mayEnd: ScopeValue<Barrier> { .required() }
    fileprivate static var pool: ScopeValue<Product> {
        .lazy { reader in
            let (log, mayEnd, config) = (try reader.log, try reader.mayEnd, try reader.config)
            reader.onClose {
                await mayEnd.pass()
                let found = Result { try EnvironmentScope.current.value(for: \.label) }
                log.add("\((try? found.get()) ?? "nothing") \(config)")
            }
            return Product("\(config)")
        }
    }
    fileprivate static var session: ScopeValue<Product> { .required() }
}

/// What begins the end of what a scope keeps, before that is dropped, with the scopes above it.
private enum Beginning: CaseIterable, Sendable {
    case drop, set, setAndRead, removal, provide, decorate, update, discard, close, limited

    func begin(in scope: EnvironmentScope) async throws {
        switch self {
        case .drop: break
        case .set: scope.config = 2
        case .setAndRead:
            scope.config = 2
            _ = scope.pool
        case .removal: scope.removeValue(for: \.pool)
        case .provide: scope.provide(\.pool) { _ in Product("other") }
        case .decorate: scope.decorate(\.pool) { pool, _ in pool }
        case .update: try scope.update { $0.config = 2 }
        case .discard: _ = startAtOnce { await scope.discardBuiltValues() }
        case .close: _ = startAtOnce { await scope.close() }
        case .limited: await scope.close(within: .milliseconds(1))
        }
    }
}

@Suite("R11: a cleanup runs with the whole chain of its scope, whatever goes", .programRoots, .timeLimit(.minutes(10)))
struct CleanupChainTests {
    private let log = Log()
    private let mayEnd = Barrier()

    private func makeOuter() -> EnvironmentScope {
        EnvironmentScope("outer", parent: nil) { ($0.label, $0.log, $0.mayEnd) = ("outer's", log, mayEnd) }
    }

    @Test("Whatever has begun it", arguments: Beginning.allCases)
    private func begun(by beginning: Beginning) async throws {
        do {
            let outer = makeOuter()
            let inner = EnvironmentScope("inner", parent: outer) { $0.config = 1 }
            _ = inner.pool
            try await beginning.begin(in: inner)
        }
        mayEnd.open()
        let count = beginning == .setAndRead || beginning == .update ? 2 : 1
        while log.lines.count < count { await Task.yield() }
        #expect(Set(log.lines).isSubset(of: ["outer's 1", "outer's 2"]))
    }

    @Test("Also where code that ran further in held it, and was the last to keep that chain") func heldByBody() async {
        let (entered, mayLeave) = (Barrier(), Barrier())
        do {
            let outer = makeOuter()
            let inner = EnvironmentScope("inner", parent: outer) { $0.config = 1 }
            let request = EnvironmentScope.empty("request", parent: inner)
            _ = inner.pool
            Task {
                await request {
                    entered.open()
                    await mayLeave.pass()
                }
            }
            await entered.pass()
            inner.config = 2
        }
        mayLeave.open()
        mayEnd.open()
        while log.lines.isEmpty { await Task.yield() }
        #expect(log.lines == ["outer's 1"])
    }

    @Test("Also where another one holds it up, whose scope is closed later") func heldUp() async {
        let request: EnvironmentScope
        do {
            let outer = makeOuter()
            let inner = EnvironmentScope("inner", parent: outer) { $0.config = 1 }
            request = EnvironmentScope("request", parent: inner) { $0.mayEnd = Barrier() }
            request.provide(\.session) { try $0.product("on \(try $0.pool.text)", saying: "session") }
            request.removeValue(for: \.mayEnd)
            _ = request.session
            inner.config = 2
        }
        mayEnd.open()
        #expect(log.lines.isEmpty)
        await request.close()
        while log.lines.count < 2 { await Task.yield() }
        #expect(log.lines == ["session", "outer's 1"])
    }
}
