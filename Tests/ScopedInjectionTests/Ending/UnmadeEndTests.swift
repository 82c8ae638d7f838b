import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var gate: ScopeValue<Barrier> { .lazy { _ in Barrier() } }
    fileprivate static var fails: ScopeValue<Bool> { .value(false) }
    fileprivate static var version: ScopeValue<Int> { .value(1) }
    fileprivate static var cache: ScopeValue<Deferred<Product>> {
        .lazy { reader in
            let fails = try reader.fails
            _ = try reader.version
            return reader.deferred {
                if fails { throw CancellationError() }
                return Product("cache")
            } onClose: { _ in
            }
        }
    }
    fileprivate static var session: ScopeValue<Product> {
        .lazy { reader in
            let gate = try reader.gate
            _ = try reader.cache
            reader.onClose { await gate.pass() }
            return Product("session")
        }
    }
}

@Suite(
    "R11: nobody is told of the cleanup of a deferred value that was never made",
    .programRoots,
    .timeLimit(.minutes(20))
)
struct UnmadeEndTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let told = Log()

    init() {
        app.observe { [told] event in
            switch event.kind {
            case .cleanupBegan, .cleanedUp, .cleanupFailed, .cleanupOverdue:
                told.add("\(event.kind) \(event.name ?? "-")")
            default: break
            }
        }
    }

    @Test("Not by events, when its scope is closed, it is let go of, or it could not be made")
    func events() async {
        _ = app.cache
        app.fails = true
        await #expect(throws: CancellationError.self) { try await app.cache() }
        await app.close()
        #expect(told.lines == [])
    }

    @Test("By events where it was made")
    func made() async throws {
        _ = try await app.cache()
        await app.close()
        #expect(told.lines == ["cleanupBegan cache", "cleanedUp cache"])
    }

    @Test("By events where it is being made, which is cancelled and awaited")
    func beingMade() async {
        let begun = Barrier()
        app.provide(\.cache) { reader in
            reader.deferred {
                begun.open()
                try await Task.sleep(for: .seconds(1_000))
                return Product("cache")
            } onClose: { _ in
                Issue.record("nothing was made")
            }
        }
        let reading = Task { [app] in try await app.cache() }
        await begun.pass()
        await app.close()
        _ = await reading.result
        #expect(told.lines == ["cleanupBegan cache", "cleanedUp cache"])
    }

    @Test("Of another cleanup of the same builder they are told")
    func another() async {
        app.provide(\.cache) { reader in
            reader.onClose { await Task.yield() }
            return reader.deferred {
                Product("cache")
            } onClose: { _ in
            }
        }
        _ = app.cache
        await app.close()
        #expect(told.lines == ["cleanupBegan cache", "cleanedUp cache"])
    }

    @Test("Not by a closing with a limit, where it waits for what hangs", arguments: [false, true])
    func overdue(isMade: Bool) async throws {
        let gate = app.gate
        if isMade { _ = try await app.cache() }
        _ = app.session
        let names = isMade ? ["cache", "session"] : ["session"]
        #expect(await app.close(within: .milliseconds(20)) == names)
        #expect(told.lines.filter { $0.hasPrefix("cleanupOverdue") }.sorted() == names.map { "cleanupOverdue \($0)" })
        gate.open()
        await app.close()
    }

    @Test("Not by a reload with a limit", arguments: [false, true])
    func overdueReload(isMade: Bool) async throws {
        let gate = app.gate
        if isMade { _ = try await app.cache() }
        _ = app.session
        try await app.reload(closingWithin: .milliseconds(20)) { $0.version = 2 }
        let names = isMade ? ["cache", "session"] : ["session"]
        #expect(told.lines.filter { $0.hasPrefix("cleanupOverdue") }.sorted() == names.map { "cleanupOverdue \($0)" })
        gate.open()
        await app.close()
    }
}
