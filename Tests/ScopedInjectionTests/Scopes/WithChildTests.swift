import ScopedInjection
import Testing

private struct Refusal: Error, Equatable { var code = 0 }

/// Not sendable: it may be returned, but not sent to another task.
private final class Draft {
    var text = ""
}

private var current: EnvironmentScope { .current }

/// How an operation in a child scope ends.
private enum Ending: CaseIterable { case success, failure, cancellation, configurationFailure }

@Suite("R7: operations in a child scope")
struct WithChildTests {
    private let parent = EnvironmentScope("parent", parent: nil) { $0.port = 1 }

    @Test("The child is current for the operation and has the right parent and name")
    func child() async {
        let result = await parent.withChild("child") {
            #expect(current === $0)
            $0.host = "child"
        } operation: {
            await Task.yield()
            #expect(current !== parent)
            #expect(current.parent === parent)
            #expect(current.name == "child")
            return "\(current.host) \(current.port)"
        }
        #expect(result == "child 1")
        #expect(parent.host == "localhost")
        #expect(current !== parent)
    }

    @Test("A child that is not configured sees what its parent sees")
    func unconfigured() async {
        let port = await parent.withChild("child") {
            await Task.yield()
            return current.port
        }
        #expect(port == 1)
        let name = await parent.withChild { current.name }
        #expect(name == nil)
    }

    @Test("The parent that only the call refers to lives until the operation ends, and no longer")
    func unheldParent() async {
        let watch = LifetimeWatch()
        let port = await watch.add(EnvironmentScope("parent", parent: nil) { $0.port = 2 }).withChild {
            await Task.yield()
            #expect(watch.alive == 1)
            return current.port
        }
        #expect(port == 2)
        #expect(watch.alive == 0)
    }

    @Test("A task that outlives the operation keeps the parent that only the call refers to")
    func taskOutlives() async {
        let watch = LifetimeWatch()
        let goesOn = AsyncStream<Never>.makeStream()
        let task = await watch.add(EnvironmentScope("parent", parent: nil) { $0.port = 2 }).withChild {
            Task {
                for await _ in goesOn.stream {}
                return current.port
            }
        }
        #expect(watch.alive == 1)
        goesOn.continuation.finish()
        #expect(await task.value == 2)
    }

    @Test("Results that cannot be sent are passed on")
    func results() async {
        let draft = Draft()
        let result = await parent.withChild {
            await Task.yield()
            return draft
        }
        #expect(result === draft)
    }

    @Test("The child is open for the operation, and closed and cleaned up however it ends", arguments: Ending.allCases)
    private func closing(_ ending: Ending) async {
        let children = Box<[EnvironmentScope]>([])
        let cleanups = Box<[Bool]>([])
        let wasOpen = Box(true)
        let parent = parent
        let task = Task {
            try await parent.withChild("child") { child in
                children.update { $0.append(child) }
                child.onClose { cleanups.update { $0.append(Task.isCancelled) } }
                if ending == .configurationFailure { throw Refusal(code: 1) }
            } operation: {
                await Task.yield()
                wasOpen.value = !current.isClosed && cleanups.value.isEmpty
                switch ending {
                case .success, .configurationFailure: break
                case .failure: throw Refusal(code: 2)
                case .cancellation:
                    withUnsafeCurrentTask { $0?.cancel() }
                    try Task.checkCancellation()
                }
                return "done"
            }
        }
        let result = await task.result
        #expect(wasOpen.value)
        #expect(children.value.map(\.isClosed) == [true])
        #expect(cleanups.value == [false], "cleanups run once and are not cancelled")
        #expect(!parent.isClosed)
        switch ending {
        case .success: #expect((try? result.get()) == "done")
        case .failure: #expect(throws: Refusal(code: 2)) { try result.get() }
        case .cancellation: #expect(throws: CancellationError.self) { try result.get() }
        case .configurationFailure: #expect(throws: Refusal(code: 1)) { try result.get() }
        }
    }

    @Test("The operation does not run if the configuration fails")
    func configurationFails() async {
        let ran = Box(false)
        await #expect(throws: Refusal.self) {
            try await parent.withChild { _ in
                throw Refusal()
            } operation: {
                ran.value = true
            }
        }
        #expect(!ran.value)
    }

    @Test("withChild makes a child current for the operation and closes it at the end")
    func childOfApp() async throws {
        let log = Log()
        let app = EnvironmentScope("app", parent: nil) { $0.host = "example.org" }
        let child = await app.withChild("request") {
            $0.port = 1
            $0.onClose { log.add("closed") }
        } operation: {
            let current = EnvironmentScope.current
            #expect(current.name == "request")
            #expect(current.parent === app)
            #expect(current.port == 1)
            #expect(current.host == "example.org")
            #expect(!current.isClosed)
            #expect(log.lines.isEmpty)
            return current
        }
        #expect(child.isClosed)
        #expect(log.lines == ["closed"])
        #expect(!app.isClosed)
        #expect(EnvironmentScope.current !== child)
    }

    @Test("withChild without values returns the result of the operation")
    func childWithoutValues() async {
        let app = EnvironmentScope("app", parent: nil) { $0.port = 1 }
        let port = await app.withChild { EnvironmentScope.current.port + 1 }
        #expect(port == 2)
    }

    @Test("withChild closes the child when the operation throws, and passes the error on")
    func throwingOperation() async {
        let log = Log()
        let app = EnvironmentScope.empty("app", parent: nil)
        await #expect(throws: Refusal.self) {
            try await app.withChild {
                EnvironmentScope.current.onClose { log.add("closed") }
                throw Refusal()
            }
        }
        #expect(log.lines == ["closed"])
    }

    @Test("withChild closes the child when its configuration throws, and does not run the operation")
    func throwingConfiguration() async {
        let log = Log()
        let app = EnvironmentScope.empty("app", parent: nil)
        await #expect(throws: Refusal.self) {
            try await app.withChild("request") {
                $0.onClose { log.add("closed") }
                throw Refusal()
            } operation: {
                log.add("ran")
            }
        }
        #expect(log.lines == ["closed"])
    }

    @Test("withChild passes cancellation on to the operation and still closes the child")
    func cancelledOperation() async {
        let log = Log()
        let app = EnvironmentScope.empty("app", parent: nil)
        let task = Task {
            try await app.withChild {
                EnvironmentScope.current.onClose { log.add("closed, cancelled: \(Task.isCancelled)") }
                withUnsafeCurrentTask { $0?.cancel() }
                try Task.checkCancellation()
                log.add("went on")
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.lines == ["closed, cancelled: false"])
    }

    @Test("withChild runs the operation on the caller's actor")
    @MainActor
    func operationIsolation() async {
        let app = EnvironmentScope.empty("app", parent: nil)
        var count = 0
        await app.withChild {
            MainActor.assertIsolated()
            count += 1
        }
        #expect(count == 1)
    }
}
