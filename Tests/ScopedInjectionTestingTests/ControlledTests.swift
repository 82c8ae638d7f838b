import Dispatch
import Foundation
import ScopedInjection
import ScopedInjectionTesting
import Testing

@Suite("Time, identifiers and chance in a test", .withoutIssues, .timeLimit(.minutes(30)))
struct ControlledTests {
    @Test("The clock stands still, wakes those whose time has come, in their order, and no others")
    func clock() async throws {
        let clock = TestClock(start: Date(timeIntervalSince1970: 1000))
        #expect(clock.now == TestClock.Instant(offset: .zero))
        #expect(clock.date == Date(timeIntervalSince1970: 1000))
        let first = Task { try await clock.sleep(for: .seconds(1)) }
        let second = Task { try await clock.sleep(for: .seconds(2)) }
        await clock.untilSleeping(2)
        clock.advance(by: .milliseconds(1500))
        try await first.value
        #expect(clock.date == Date(timeIntervalSince1970: 1001.5))
        await clock.untilSleeping(1)
        clock.advance(by: .milliseconds(500))
        try await second.value
        try await clock.sleep(until: TestClock.Instant(offset: .seconds(1)))
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
        let (clock, woken, executor) = (TestClock(), Box<[Int]>([]), InOrder())
        var sleepers: [Task<Void, any Error>] = []
        for number in 0..<20 {
            sleepers.append(
                Task(executorPreference: executor) {
                    try await clock.sleep(for: .seconds(1))
                    woken.update { $0.append(number) }
                }
            )
            await clock.untilSleeping(number + 1)
        }
        // The last one sleeps, but its job may still run.
        await Task(executorPreference: executor) {}.value
        clock.advance(by: .seconds(1))
        for sleeper in sleepers { try await sleeper.value }
        #expect(woken.value == Array(0..<20))
    }

    @Test("Identifiers are counted")
    func identifiers() {
        let newID = TestIDs().next
        #expect(newID().uuidString == "00000000-0000-0000-0000-000000000001")
        #expect(newID() == TestIDs.id(2))
        #expect(TestIDs.id(0x0123_4567_89AB).uuidString == "00000000-0000-0000-0000-0123456789AB")
    }

    @Test("Random numbers are the same in each run")
    func randomNumbers() {
        var numbers = TestRandomNumbers(seed: 1)
        #expect(
            (0..<3).map { _ in numbers.next() } == [10451216379200822465, 13757245211066428519, 17911839290282890590]
        )
        var again = TestRandomNumbers(seed: 1)
        #expect(again.next() == 10451216379200822465)
    }
}
