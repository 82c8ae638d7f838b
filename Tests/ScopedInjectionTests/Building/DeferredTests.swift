import ScopedInjection
import Testing

/// A result, or the closure that makes one; it records when it is gone.
private final class Part: Sendable {
    private let gone: Barrier?
    init(gone: Barrier? = nil) { self.gone = gone }
    deinit { gone?.open() }
}

/// Counts the runs of one test.
private final class Runs: Sendable {
    private let begun = Box(0)
    let started = Barrier()
    let mayEnd = Barrier()

    var count: Int { begun.value }

    func begin() -> Int {
        defer { started.open() }
        return begun.next()
    }
}

/// The tasks that have asked and not been answered, if all of it happens on the main actor.
///
/// Nothing else runs there between the call and the wait, so a task that has asked is waiting.
@MainActor
private final class Queue {
    private var asked = 0

    func ask<Value>(_ deferred: Deferred<Value>, priority: TaskPriority? = nil) -> Task<Value, any Error> {
        Task(priority: priority) { @MainActor in
            self.asked += 1
            return try await deferred()
        }
    }

    func waits(for count: Int) async { while asked < count { await Task.yield() } }
}

private enum Caller { @TaskLocal static var name = "nobody" }

@Suite("Deferred: the value is made once, when it is first awaited, for all that await it", .programRoots)
struct DeferredTests {
    private let runs = Runs()

    /// Counts its runs, and returns the number of each.
    private func numbered() -> Deferred<Int> { Deferred { [runs] in runs.begin() } }

    @Test("The value is made when it is first awaited; then it is there") func lazy() async throws {
        let deferred = numbered()
        #expect(deferred.valueIfReady == nil)
        #expect(runs.count == 0)
        #expect(try await deferred() == 1)
        #expect(deferred.valueIfReady == 1)
        #expect(try await deferred() == 1)
        #expect(runs.count == 1)
    }

    @Test("However many tasks await it at once, there is one run, and all get its result") func once() async throws {
        let part = Deferred { [runs] in
            _ = runs.begin()
            await runs.mayEnd.pass()
            return Part()
        }
        let parts = try await withThrowingTaskGroup(of: Part.self) { group in
            for _ in 0..<200 { group.addTask { try await part() } }
            await runs.started.pass()
            #expect(part.valueIfReady == nil)
            runs.mayEnd.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(parts.map(ObjectIdentifier.init)).count == 1)
        #expect(parts.count == 200)
        #expect(runs.count == 1)
    }

    @Test("An error goes to all that wait for that run, and the next await starts another")
    @MainActor
    func failure() async throws {
        let deferred = Deferred { [runs] in
            let number = runs.begin()
            if number < 3 {
                await runs.mayEnd.pass()
                throw Refusal(code: number)
            }
            return number
        }
        let queue = Queue()
        let tasks = (0..<10).map { _ in queue.ask(deferred) }
        await queue.waits(for: 10)
        runs.mayEnd.open()
        for task in tasks {
            let error = await #expect(throws: ScopeError.self) { try await task.value }
            #expect(error?.underlyingError as? Refusal == Refusal(code: 1))
        }
        #expect(deferred.valueIfReady == nil)
        let error = await #expect(throws: ScopeError.self) { try await deferred() }
        #expect(error?.underlyingError as? Refusal == Refusal(code: 2))
        #expect(try await deferred() == 3)
        #expect(runs.count == 3)
    }

    // MARK: Cancellation

    @Test("A cancelled task stops waiting; the run goes on uncancelled, even if none waits", arguments: [true, false])
    @MainActor
    func cancellation(isAlone: Bool) async throws {
        let deferred = Deferred { [runs] in
            let number = runs.begin()
            await runs.mayEnd.pass()
            try Task.checkCancellation()
            return number
        }
        let queue = Queue()
        let task = queue.ask(deferred)
        let other = isAlone ? nil : queue.ask(deferred)
        await queue.waits(for: isAlone ? 1 : 2)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let next = other ?? queue.ask(deferred)
        await queue.waits(for: 2)
        runs.mayEnd.open()
        #expect(try await next.value == 1)
        #expect(runs.count == 1)
    }

    @Test("Tasks that are cancelled at any moment neither hang nor end the run")
    func cancellationStress() async throws {
        for _ in 0..<300 {
            let runs = Runs()
            let deferred = Deferred {
                await Task.yield()
                return runs.begin()
            }
            let tasks = (0..<8).map { _ in Task { try await deferred() } }
            for task in tasks.dropFirst() { task.cancel() }
            for task in tasks.dropFirst() { _ = await task.result }
            #expect(try await tasks[0].value == 1)
            #expect(runs.count == 1)
        }
    }

    @Test("When the deferred value goes away, its run is cancelled") func goneWhileRunning() async throws {
        let cancelled = Barrier()
        var deferred: Deferred<Void>? = Deferred { [runs] in
            await withTaskCancellationHandler {
                _ = runs.begin()
                await runs.mayEnd.pass()
            } onCancel: {
                cancelled.open()
            }
        }
        weak let watched = deferred
        let task = Task { [deferred] in try await deferred?() }
        await runs.started.pass()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        deferred = nil
        await cancelled.pass()
        #expect(watched == nil)
        runs.mayEnd.open()
    }

    // MARK: The run's context

    @Test("A run has no task-locals of the first task that awaits, and no scope is entered")
    func taskLocals() async throws {
        let deferred = Deferred { (Caller.name, EnvironmentScope.current) }
        let request = EnvironmentScope.empty("request", parent: nil)
        let (name, scope) = try await request { try await Caller.$name.withValue("request") { try await deferred() } }
        #expect(name == "nobody")
        #expect(scope === EnvironmentScope.global)
    }

    @Test("Waiting code stays on its actor")
    @MainActor
    func isolation() async throws {
        let deferred = numbered()
        _ = try await deferred()
        MainActor.assertIsolated()
        _ = try await deferred()
        MainActor.assertIsolated()
    }

    @Test("A run has the priority of the first task that waits for it", arguments: [TaskPriority.background, .high])
    func priority(_ priority: TaskPriority) async throws {
        let seen = Box<TaskPriority?>(nil)
        let deferred = Deferred { [runs] in
            seen.value = Task.basePriority
            return runs.begin()
        }
        let first = Task.detached(priority: priority) { try await deferred() }
        // Nobody awaits the task before, which would raise it.
        await runs.started.pass()
        #expect(seen.value == priority)
        #expect(try await first.value == 1)
    }

    @Test("The closure is released once the value is made, and kept after an error") func maker() async throws {
        let gone = Barrier()
        var maker: Part? = Part(gone: gone)
        weak let watched = maker
        let deferred = Deferred { [runs, maker] in
            defer { withExtendedLifetime(maker) {} }
            if runs.begin() == 1 { throw Refusal() }
        }
        maker = nil
        await #expect(throws: ScopeError.self) { try await deferred() }
        withExtendedLifetime(deferred) { #expect(watched != nil) }
        try await deferred()
        await gone.pass()
        #expect(watched == nil)
        #expect(deferred.valueIfReady != nil)
    }
}
