public import Foundation
import ScopedInjection

/// A clock that stands still until the test moves it.
///
/// Set it in place of a `ContinuousClock`, so that code that sleeps is tested without waiting. In tests,
/// ``ScopedInjection/ScopeValues/now`` is its date.
///
/// ```swift
/// @Test func closesIdleCarts() async throws {
///     let clock = TestClock()
///     EnvironmentScope.current.clock = clock
///     let carts = Carts()
///     let closing = Task {
///         try await carts.closeIdle(after: .seconds(60))
///     }
///     await clock.advance(by: .seconds(60))
///     #expect(try await closing.value == clock.date)
/// }
/// ```
///
/// All members may be used from any thread at any time.
public final class TestClock: Clock, Sendable {
    /// A moment of the clock, given by how long after the clock's start it is.
    public struct Instant: InstantProtocol {
        /// How long after the clock's start the moment is.
        public var offset: Duration

        /// Creates the moment that is so long after the clock's start.
        public init(offset: Duration) { self.offset = offset }

        /// The moment that is so much later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// How much later the other moment is.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether the first moment is the earlier one.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State: Sendable {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var waiting: [Int: Waiting] = [:]
        /// Calls that were cancelled and have not yet returned.
        var cancelled: Set<Int> = []
        /// How many of those who woke last have not begun to sleep again.
        var awake = 0
        /// Numbers the calls, in the order in which they began.
        var nextCall = 0
    }

    private struct Sleeper: Sendable {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Waiting: Sendable {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private let start: Date
    private let state = Guarded(State())

    /// Creates a clock that stands at its start.
    ///
    /// - Parameter start: The date at the clock's start. The default is the first second of 2001, in UTC.
    public init(start: Date = Date(timeIntervalSinceReferenceDate: 0)) { self.start = start }

    /// The moment at which the clock stands.
    public var now: Instant { state.withLock { $0.now } }

    /// The date at which the clock stands.
    public var date: Date { start.addingTimeInterval(now.offset / .seconds(1)) }

    /// Zero, because the clock is as exact as a duration.
    public var minimumResolution: Duration { .zero }

    /// Moves the clock from deadline to deadline, and wakes those whose time has come.
    ///
    /// At each deadline it waits until those who woke sleep again, or are done, so that a job that sleeps for five seconds at a time runs
    /// twice in thirteen, each time when it is due. Those of one deadline are woken in the order in which they began to sleep. Before and
    /// after it lets other tasks run, so that what has just been started sleeps first.
    ///
    /// Whether a task is done, no clock can know: it is given the time in which others run a hundred times, some milliseconds. A test that
    /// must not rely on that awaits what the task does, or ``untilSleeping(_:)``.
    public func advance(by duration: Duration) async {
        await settle()
        await pass(to: now.advanced(by: duration))
    }

    /// Moves the clock to a moment, from deadline to deadline; one that is past leaves it where it stands.
    public func advance(to moment: Instant) async {
        await settle()
        await pass(to: moment)
    }

    private func pass(to moment: Instant) async {
        while wake(until: moment) { await settle() }
    }

    /// Moves the clock to the next deadline, or to the moment if there is none before; whether somebody woke.
    private func wake(until moment: Instant) -> Bool {
        let woken = state.withLock { state in
            let deadline = state.sleepers.values.map(\.deadline).min().flatMap { $0 <= moment ? $0 : nil }
            state.now = max(state.now, deadline ?? moment)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            state.awake = due.count
            return due.sorted { $0.key < $1.key }.map(\.value.continuation)
        }
        for continuation in woken { continuation.resume() }
        return !woken.isEmpty
    }

    /// Lets other tasks run, for longer while not as many sleep again as have been woken.
    private func settle() async {
        await letOthersRun()
        var pause = Duration.microseconds(250)
        while state.withLock({ $0.awake > 0 }), pause < .milliseconds(10) {
            // One that runs may have lost its processor.
            try? await Task.sleep(for: pause)
            await letOthersRun()
            pause *= 2
        }
    }

    /// Moves the clock at once, for nobody sleeps on it.
    func jump(to moment: Instant) { state.withLock { $0.now = max($0.now, moment) } }

    /// Waits until so many tasks sleep on the clock, so that the test can move it.
    ///
    /// If the code under test never sleeps, this waits until the task is cancelled, for example by a time limit of the
    /// test. Then it returns.
    public func untilSleeping(_ count: Int = 1) async {
        let number = beginCall()
        defer { endCall(number) }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReached = state.withLock { state in
                    if state.sleepers.count >= count || state.cancelled.contains(number) { return true }
                    state.waiting[number] = Waiting(count: count, continuation: continuation)
                    return false
                }
                if isReached { continuation.resume() }
            }
        } onCancel: {
            cancel(number)
        }
    }

    /// Sleeps until the test has moved the clock that far.
    ///
    /// - Throws: `CancellationError`, where the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = beginCall()
        defer { endCall(number) }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { begin(Sleeper(deadline: deadline, continuation: $0), number) }
        } onCancel: {
            cancel(number)
        }
    }

    private func begin(_ sleeper: Sleeper, _ number: Int) {
        enum Outcome { case sleeps([CheckedContinuation<Void, Never>]), due, cancelled }
        let outcome = state.withLock { state -> Outcome in
            if state.cancelled.contains(number) { return .cancelled }
            if sleeper.deadline <= state.now { return .due }
            state.sleepers[number] = sleeper
            state.awake -= 1
            let count = state.sleepers.count
            let reached = state.waiting.filter { $0.value.count <= count }
            for number in reached.keys { state.waiting[number] = nil }
            return .sleeps(reached.values.map(\.continuation))
        }
        switch outcome {
        case .sleeps(let reached): for continuation in reached { continuation.resume() }
        case .due: sleeper.continuation.resume()
        case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
        }
    }

    // MARK: Calls that can be cancelled

    private func beginCall() -> Int {
        state.withLock { state in
            defer { state.nextCall += 1 }
            return state.nextCall
        }
    }

    private func endCall(_ number: Int) { state.withLock { _ = $0.cancelled.remove(number) } }

    /// Ends a call, also one that has yet to begin to wait.
    private func cancel(_ number: Int) {
        let (sleeper, waiting) = state.withLock { state in
            state.cancelled.insert(number)
            return (state.sleepers.removeValue(forKey: number), state.waiting.removeValue(forKey: number))
        }
        sleeper?.continuation.resume(throwing: CancellationError())
        waiting?.continuation.resume()
    }
}

/// Lets the other tasks run that can.
///
/// By tasks of their own, as swift-clocks does: a task that yields may be the next to run again. Some have the caller's priority, and so
/// stand in line behind all that waits already, however busy the machine is; the others come after all that is more urgent.
func letOthersRun() async {
    let own = Task.currentPriority
    for _ in 0..<20 {
        await Task.detached(priority: own) { await Task.yield() }.value
        await Task.detached(priority: .background) { await Task.yield() }.value
    }
}
