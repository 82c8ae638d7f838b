import Dispatch
import Foundation
import ScopedInjectionValues
import Synchronization
import Testing

@Suite("A clock that a test moves", .timeLimit(.minutes(30)))
struct TestClockTests {
    @Test("The clock stands still, wakes those whose time has come, in their order, and no others")
    func clock() async throws {
        let clock = TestClock(start: Date(timeIntervalSince1970: 1000))
        #expect(clock.now == TestClock.Instant(offset: .zero))
        #expect(clock.date == Date(timeIntervalSince1970: 1000))
        let first = Task { try await clock.sleep(for: .seconds(1)) }
        let second = Task { try await clock.sleep(for: .seconds(2)) }
        await clock.untilSleeping(2)
        await clock.advance(by: .milliseconds(1500))
        try await first.value
        #expect(clock.date == Date(timeIntervalSince1970: 1001.5))
        await clock.untilSleeping(1)
        await clock.advance(by: .milliseconds(500))
        try await second.value
        try await clock.sleep(until: TestClock.Instant(offset: .seconds(1)))
    }

    @Test("Moved to a moment, the clock wakes as it does otherwise; a moment that is past leaves it where it stands")
    func moment() async throws {
        let clock = TestClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.untilSleeping()
        await clock.advance(to: TestClock.Instant(offset: .seconds(1)))
        try await sleeper.value
        await clock.advance(to: TestClock.Instant(offset: .zero))
        #expect(clock.now == TestClock.Instant(offset: .seconds(1)))
    }

    @Test("One move goes from deadline to deadline, so a job runs as often as it should, each time when it is due")
    func periodic() async throws {
        let (clock, times) = (TestClock(), Numbers())
        let job = Task {
            while true {
                try await clock.sleep(for: .seconds(5))
                times.append(Int(clock.now.offset.components.seconds))
            }
        }
        await clock.untilSleeping()
        await clock.advance(by: .seconds(13))
        #expect(times.all == [5, 10])
        #expect(clock.now.offset == .seconds(13))
        job.cancel()
        await #expect(throws: CancellationError.self) { try await job.value }
    }

    @Test("Those whom one wakes are waited for, too, where they sleep on for different times")
    func sideBySide() async throws {
        let (clock, times) = (TestClock(), Numbers())
        let jobs = [2, 3].map { pause in
            Task {
                for _ in 0..<3 {
                    try await clock.sleep(for: .seconds(pause))
                    times.append(pause)
                }
            }
        }
        await clock.untilSleeping(2)
        await clock.advance(to: TestClock.Instant(offset: .seconds(9)))
        jobs.forEach { $0.cancel() }
        for job in jobs { _ = await job.result }
        // At six both are due.
        #expect(times.all.prefix(3) == [2, 3, 2])
        #expect(times.all.sorted() == [2, 2, 2, 3, 3, 3])
    }

    @Test("A cancelled task does not sleep on, whether it sleeps already or not")
    func cancelled() async throws {
        let clock = TestClock()
        let asleep = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.untilSleeping()
        asleep.cancel()
        await #expect(throws: CancellationError.self) { try await asleep.value }
        let gate = Gate()
        let awake = Task {
            await gate.wait()
            try await clock.sleep(for: .seconds(1))
        }
        awake.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await awake.value }
    }

    @Test("A cancelled task does not wait on for others to sleep, whether it waits already or not")
    func cancelledWait() async {
        let clock = TestClock()
        let waiting = Task { await clock.untilSleeping() }
        await Task.yield()
        waiting.cancel()
        await waiting.value
        let gate = Gate()
        let later = Task {
            await gate.wait()
            await clock.untilSleeping()
        }
        later.cancel()
        gate.open()
        await later.value
    }

    private final class Numbers: Sendable {
        private let state = Mutex<[Int]>([])
        var all: [Int] { state.withLock { $0 } }
        func append(_ number: Int) { state.withLock { $0.append(number) } }
    }

    /// Opens once, for all who wait.
    private final class Gate: Sendable {
        private let stream = AsyncStream<Never>.makeStream()
        func open() { stream.continuation.finish() }
        func wait() async { for await _ in stream.stream {} }
    }

    /// Runs jobs one after the other, in the order in which they come.
    private final class InOrder: TaskExecutor {
        private let queue = DispatchQueue(label: "in order")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    @Test("Those who sleep until the same moment are woken in the order in which they began")
    func order() async throws {
        let (clock, woken, executor) = (TestClock(), Numbers(), InOrder())
        var sleepers: [Task<Void, any Error>] = []
        for number in 0..<20 {
            sleepers.append(
                Task(executorPreference: executor) {
                    try await clock.sleep(for: .seconds(1))
                    woken.append(number)
                }
            )
            await clock.untilSleeping(number + 1)
        }
        // The last one sleeps, but its job may still run.
        await Task(executorPreference: executor) {}.value
        await clock.advance(by: .seconds(1))
        for sleeper in sleepers { try await sleeper.value }
        #expect(woken.all == Array(0..<20))
    }
}
