import ScopedInjection
import Testing

private var current: EnvironmentScope { .current }

private actor Counter {
    private(set) var count = 0

    func countInScope() async {
        await EnvironmentScope.withScope("app") { scope in
            preconditionIsolated()
            await Task.yield()
            count += 1
            scope.port = count
        } operation: { scope in
            preconditionIsolated()
            await Task.yield()
            preconditionIsolated()
            count += scope.port
        }
    }
}

/// How a scope ends.
private enum Ending: CaseIterable {
    case success, failure, cancellation, configurationFailure, configurationCancellation
}

@Suite("R11: withScope closes its scope however its closures end", .programRoots, .timeLimit(.minutes(10)))
struct WithScopeTests {
    @Test("The scope is current in both closures, which are passed it") func scope() async {
        let outer = current
        let result = await EnvironmentScope.withScope("app") {
            #expect(current === $0)
            $0.host = "app.example"
        } operation: { app in
            await Task.yield()
            #expect(current === app)
            #expect(app.name == "app")
            return app.host
        }
        #expect(result == "app.example")
        #expect(current === outer)
    }

    @Test("It is standalone, whatever is current, and not the global scope while tests run") func standalone() async {
        let outer = EnvironmentScope("outer", parent: nil) { $0.host = "outer" }
        await outer {
            await EnvironmentScope.withScope(role: .application) { _ in
            } operation: { app in
                #expect(app.parent == nil)
                #expect(EnvironmentScope.global !== app)
                #expect(app.host == "localhost")
            }
        }
        #expect(!outer.isClosed)
    }

    @Test("A parent that only the call refers to supplies values, also to a task that outlives the operation")
    func parent() async {
        let watch = LifetimeWatch()
        let goesOn = AsyncStream<Never>.makeStream()
        let parent = { watch.add(EnvironmentScope("parent", parent: nil) { $0.port = 2 }) }
        let task = await EnvironmentScope.withScope(parent: parent()) {
            $0.host = "\($0.port)"
        } operation: { scope in
            #expect(scope.parent?.name == "parent")
            #expect(scope.host == "2")
            return Task {
                for await _ in goesOn.stream {}
                return current.port
            }
        }
        #expect(watch.alive == 1)
        goesOn.continuation.finish()
        #expect(await task.value == 2)
    }

    @Test("A policy on defaults holds in it") func defaults() async {
        await EnvironmentScope.withScope("strict", defaults: .forbidden) { _ in
        } operation: { scope in
            _ = #expect(throws: ScopeError.self) { try scope.value(for: \.port) }
        }
    }

    @Test("It is open for the operation, and closed and cleaned up however it ends", arguments: Ending.allCases)
    private func closing(_ ending: Ending) async {
        let scopes = Box<[EnvironmentScope]>([])
        let cleanups = Box<[Bool]>([])
        let wasOpen = Box<[Bool]>([])
        let task = Task {
            try await EnvironmentScope.withScope("app") { scope in
                scopes.update { $0.append(scope) }
                scope.onClose {
                    await Task.yield()
                    cleanups.update { $0.append(Task.isCancelled) }
                }
                if ending == .configurationFailure { throw Refusal(code: 1) }
                if ending == .configurationCancellation { try await cancelled() }
            } operation: { scope in
                await Task.yield()
                wasOpen.update { $0.append(!scope.isClosed && cleanups.value.isEmpty) }
                if ending == .failure { throw Refusal(code: 2) }
                if ending == .cancellation { try await cancelled() }
                return "done"
            }
        }
        let result = await task.result
        #expect(scopes.value.map(\.isClosed) == [true])
        #expect(cleanups.value == [false], "cleanups run once and are not cancelled")
        switch ending {
        case .success: #expect((try? result.get()) == "done")
        case .failure: #expect(throws: Refusal(code: 2)) { try result.get() }
        case .configurationFailure: #expect(throws: Refusal(code: 1)) { try result.get() }
        case .cancellation, .configurationCancellation:
            #expect(throws: CancellationError.self) { try result.get() }
        }
        let isConfigured = ending != .configurationFailure && ending != .configurationCancellation
        #expect(wasOpen.value == (isConfigured ? [true] : []), "it runs once, if the configuration has ended")
    }

    /// Cancels its task, and waits for that.
    private func cancelled() async throws {
        withUnsafeCurrentTask { $0?.cancel() }
        for await _ in AsyncStream<Never>.makeStream().stream {}
        try Task.checkCancellation()
    }

    @Test("With a limit it returns though a cleanup hangs, which observers are told", arguments: [true, false])
    func limit(isFailing: Bool) async {
        let (hangs, overdue, ended) = (Barrier(), Log(), Log())
        let result = await Task {
            try await EnvironmentScope.withScope("app", closingWithin: .milliseconds(20)) { scope in
                scope.observe { if $0.kind == .cleanupOverdue { overdue.add($0.scope ?? "") } }
                scope.onClose { ended.add("first registered") }
                scope.onClose { await hangs.pass() }
            } operation: { _ in
                if isFailing { throw Refusal() }
            }
        }.result
        #expect(((try? result.get()) == nil) == isFailing)
        #expect(overdue.lines == ["app"])
        #expect(ended.lines == ["first registered"])
        hangs.open()
    }

    @Test("A result that cannot be sent is passed on") func result() async {
        let draft = Draft()
        let result = await EnvironmentScope.withScope { _ in
            draft.text = "configured"
        } operation: { _ in
            await Task.yield()
            return draft
        }
        #expect(result === draft)
        #expect(result.text == "configured")
    }

    @Test("Configuration and operation stay on their actor") func isolation() async {
        let counter = Counter()
        await counter.countInScope()
        #expect(await counter.count == 2)
    }

    @Test("A value that is built in it is cleaned up before it returns, in the scope") func values() async {
        let log = Log()
        await EnvironmentScope.withScope("app") { scope in
            scope.provide(\.token) { $0.withCleanup(Token(text: "t")) { log.add("closed in \(current.name ?? "")") } }
        } operation: { scope in
            log.add(scope.token.text)
        }
        #expect(log.lines == ["t", "closed in app"])
    }
}
