import ScopedInjection
import Testing

@Suite("R11: closing runs every cleanup once, then releases the built values", .programRoots)
struct ClosingTests {
    @Test("The cleanup registered last runs first, each to its end before the next begins, whether or not it awaits")
    func order() async {
        let log = Log()
        let scope = EnvironmentScope.empty(parent: nil)
        for number in 1...3 {
            scope.onClose { log.add("plain \(number)") }
            scope.onClose {
                log.add("\(number) begins")
                await Task.yield()
                log.add("\(number) ends")
            }
        }
        await scope.close()
        #expect(log.lines == [3, 2, 1].flatMap { ["\($0) begins", "\($0) ends", "plain \($0)"] })
        #expect(scope.isClosed)
    }

    @Test("Cleanups run once, however often the scope is closed", arguments: [1, 2, 50]) func once(calls: Int) async {
        let log = Log()
        let scope = EnvironmentScope.empty(parent: nil)
        scope.onClose { log.add("cleanup") }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<calls { group.addTask { await scope.close() } }
        }
        await scope.close()
        #expect(log.lines == ["cleanup"])
    }

    @Test("A second call waits for the end of the first, also in a cancelled task", arguments: [false, true])
    @MainActor
    func secondCallWaits(isCancelled: Bool) async {
        let started = Barrier()
        let mayEnd = Barrier()
        let log = Log()
        let scope = EnvironmentScope.empty(parent: nil)
        scope.onClose {
            started.open()
            await mayEnd.pass()
            log.add("ended")
        }
        let first = Task {
            await scope.close()
            return log.lines
        }
        await started.pass()
        let second = Task { @MainActor in
            if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
            // The main actor is free for this only when the second call has begun to wait.
            Task { @MainActor in mayEnd.open() }
            await scope.close()
            return log.lines
        }
        #expect(await second.value == ["ended"])
        #expect(await first.value == ["ended"])
    }

    @Test("A closing waits for a cleanup that goes on after it has closed another scope")
    @MainActor
    func closesAnother() async {
        let log = Log()
        @Sendable func end() async { log.add("other") }
        let (scope, other) = (EnvironmentScope.empty(parent: nil), EnvironmentScope.empty(parent: nil))
        other.onClose { await end() }
        scope.onClose {
            await other.close()
            // The main actor is free for this only when the test waits.
            await Task { @MainActor in }.value
            log.add("scope")
        }
        await scope.close()
        #expect(log.lines == ["other", "scope"])
    }

    @Test("A cleanup that is registered by a cleanup runs too, before the older ones")
    func cleanupAddsCleanup() async {
        let log = Log()
        let scope = EnvironmentScope.empty(parent: nil)
        scope.onClose { log.add("oldest") }
        scope.onClose { [unowned scope] in
            log.add("newest")
            scope.onClose { log.add("added") }
        }
        await scope.close()
        #expect(log.lines == ["newest", "added", "oldest"])
    }

    @Test("In a cleanup the scope is the current one, wherever it is closed", arguments: [nil, "app", "other"])
    func cleanupReadsValues(place: String?) async {
        let log = Log()
        let scope = EnvironmentScope("app", parent: nil) { $0.port = 9090 }
        let other = EnvironmentScope.empty("other", parent: nil)
        let port = Injected(\.port)
        @Sendable func read() {
            log.add("\(EnvironmentScope.current.name ?? ""): \(port()), \(EnvironmentScope.current.host)")
        }
        scope.onClose { read() }
        scope.onClose {
            await Task.yield()
            read()
        }
        scope.onClose { read() }
        switch place {
        case nil: await scope.close()
        case "app": await scope { await scope.close() }
        default: await other { await scope.close() }
        }
        #expect(log.lines == ["app: 9090, localhost", "app: 9090, localhost", "app: 9090, localhost"])
    }

    @Test("A cleanup may build a value, whose own cleanup runs as well") func cleanupBuilds() async {
        let log = Log()
        let scope = EnvironmentScope.empty(parent: nil)
        scope.provide(\.host) { $0.withCleanup("example.org") { log.add("host closed") } }
        scope.onClose { log.add("read \(EnvironmentScope.current.host)") }
        await scope.close()
        #expect(log.lines == ["read example.org", "host closed"])
    }

    @Test("If the run of a deferred value closes a scope whose cleanup awaits it, the cleanup gets an error")
    func awaitingTheCloser() async throws {
        let errors = Box<[ScopeError]>([])
        let pools = Box<[Deferred<Int>]>([])
        defer { pools.value = [] }
        let scope = EnvironmentScope.empty("app", parent: nil)
        scope.onClose {
            do { _ = try await pools.value[0]() } catch let error as ScopeError { errors.value = [error] } catch {}
        }
        let pool = Deferred(fileID: "Shop/Pools.swift", line: 7) { [unowned scope] in
            await scope.close()
            return 5
        }
        pools.value = [pool]
        #expect(try await pool() == 5)
        #expect(errors.value.map(\.code) == [.cycle])
        let names = ["the closing of \"app\"", "the Deferred<Int> at Shop/Pools.swift:7"]
        #expect(errors.value.first?.path == [names[0], names[1], names[0]])
    }
}
