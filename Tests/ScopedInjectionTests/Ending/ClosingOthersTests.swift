import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var pool: ScopeValue<Int> { .lazy { register("pool", $0) } }
    fileprivate static var session: ScopeValue<Int> {
        .lazy(.once(in: .request)) { try $0.pool + register("session", $0) }
    }
}

/// What the cleanup of a value does, by its name.
private enum Cleanups { @TaskLocal static var actions: [String: @Sendable () async -> Void] = [:] }

private func register(_ name: String, _ reader: ScopeReader) -> Int {
    let action = Cleanups.actions[name]
    reader.onClose { await action?() }
    return 1
}

/// Waits for a state that others reach.
private func wait(until isReached: () -> Bool) async { while !isReached() { await Task.yield() } }

@Suite("R11: a closing, and cleanups of other scopes that close the same one", .programRoots, .timeLimit(.minutes(10)))
struct ClosingOthersTests {
    @Test("close() waits for a value although a cleanup of what was built from it has cut the closing short")
    func circle() async {
        let log = Box<[String]>([])
        let (app, request) = Box<EnvironmentScope?>.chain()
        let (first, goesOn) = (Gate(), Gate())
        let actions: [String: @Sendable () async -> Void] = [
            "pool": { log.update { $0.append("pool") } },
            "session": {
                log.update { $0.append("session closes") }
                // It would wait for itself, but not before the closing comes to the pool.
                await app.value?.close()
                await goesOn.passed()
                log.update { $0.append("session") }
            },
        ]
        Cleanups.$actions.withValue(actions) { _ = request.value?.session }
        app.value?.onClose { await first.passed() }
        let closing = startAtOnce {
            await app.value?.close()
            log.update { $0.append("closed") }
        }
        let inner = startAtOnce { await request.value?.close() }
        await wait { !log.value.isEmpty }
        for _ in 0..<100 { await Task.yield() }
        first.open()
        await wait { app.value?.isClosed == true }
        for _ in 0..<100 { await Task.yield() }
        goesOn.open()
        await closing.value
        await inner.value
        #expect(log.value == ["session closes", "session", "pool", "closed"])
        (app.value, request.value) = (nil, nil)
    }

    @Test("What a scope keeps whose parent is gone ends with that scope, and what it was built from waits for it")
    func orphan() async {
        let log = Box<[String]>([])
        let app = EnvironmentScope.empty("app", parent: nil)
        var tenant: EnvironmentScope? = .empty("tenant", parent: app)
        let request = EnvironmentScope.empty("request", role: .request, parent: tenant)
        let actions: [String: @Sendable () async -> Void] = [
            "pool": { log.update { $0.append("pool") } },
            "session": { log.update { $0.append("session") } },
        ]
        Cleanups.$actions.withValue(actions) { _ = request.session }
        tenant = nil
        // These threads look at the request, and not at the application.
        await onThreads(8) { _ in _ = request.isClosed }
        let closing = startAtOnce { await app.close() }
        for _ in 0..<100 { await Task.yield() }
        #expect(log.value.isEmpty)
        await request.close()
        await closing.value
        #expect(log.value == ["session", "pool"])
    }
}

extension Box where Value == EnvironmentScope? {
    /// An application and a request in boxes, for the cleanups that close them.
    fileprivate static func chain() -> (app: Box, request: Box) {
        let app = EnvironmentScope.empty("app", parent: nil)
        return (Box(app), Box(EnvironmentScope.empty("request", role: .request, parent: app)))
    }
}
