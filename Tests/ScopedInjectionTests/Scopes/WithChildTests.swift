import ScopedInjection
import Testing

private var current: EnvironmentScope { .current }

/// How an operation in a child scope ends.
private enum Ending: CaseIterable { case success, failure, cancellation, configurationFailure }

@Suite("R11: withChild closes its scope when the operation ends, throws or is cancelled", .programRoots)
struct WithChildTests {
    private let parent = EnvironmentScope("parent", parent: nil) { $0.port = 1 }

    @Test("The child is current for the operation and has the right parent and name") func child() async {
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

    @Test("Results that cannot be sent are passed on") func results() async {
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
                child.onClose {
                    await Task.yield()
                    cleanups.update { $0.append(Task.isCancelled) }
                }
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

    @Test("A child without values of its own needs no configuration, and is closed as well")
    func withoutConfiguration() async {
        let child = await parent.withChild("child") { current }
        #expect(child.name == "child")
        #expect(child.isClosed)
        #expect(child !== parent)
    }
}
