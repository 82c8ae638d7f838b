public import Foundation

/// A clock on which nobody waits: a sleep ends at once, and the clock stands at its end.
///
/// It is what tests are given for ``ScopedInjection/ScopeValues/clock``. Use it for code that sleeps now and then, and for timeouts around
/// what answers at once; where a test has to decide who wakes first, use a ``TestClock``.
///
/// ```swift
/// @Test func triesThreeTimes() async throws {
///     let clock = ImmediateClock()
///     EnvironmentScope.current.clock = clock
///     try await retry(times: 3, every: .seconds(60))
///     #expect(clock.now.offset == .seconds(120))
/// }
/// ```
///
/// All members may be used from any thread at any time.
public final class ImmediateClock: Clock, Sendable {
    /// A moment of the clock.
    public typealias Instant = TestClock.Instant

    private let clock: TestClock

    /// Creates a clock that stands at its start.
    ///
    /// - Parameter start: The date at the clock's start. The default is the first second of 2001, in UTC.
    public init(start: Date = Date(timeIntervalSinceReferenceDate: 0)) { clock = TestClock(start: start) }

    /// The moment at which the clock stands: the end of the sleep that went furthest.
    public var now: Instant { clock.now }

    /// The date at which the clock stands.
    public var date: Date { clock.date }

    /// Zero, because the clock is as exact as a duration.
    public var minimumResolution: Duration { .zero }

    /// Lets other tasks run, and moves the clock to the end of the sleep.
    ///
    /// What needs no sleep itself comes first, so a timeout around an answer that is there at once does not time out.
    ///
    /// - Throws: `CancellationError`, where the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        await letOthersRun()
        try Task.checkCancellation()
        clock.jump(to: deadline)
    }
}
