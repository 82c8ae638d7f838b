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
///     await clock.untilSleeping()
///     clock.advance(by: .seconds(60))
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

    /// Moves the clock, and wakes those whose time has come: the earliest first, and those of one time in the order in
    /// which they began to sleep.
    public func advance(by duration: Duration) { advance { $0.advanced(by: duration) } }

    /// Moves the clock to a moment, and wakes those whose time has come; one that is past leaves it where it stands.
    public func advance(to moment: Instant) { advance { max($0, moment) } }

    private func advance(_ move: @Sendable (Instant) -> Instant) {
        let woken = state.withLock { state in
            state.now = move(state.now)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

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
