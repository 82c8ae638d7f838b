// The dependencies that swift-dependencies declares itself. Copy what you use.

public import Foundation
import ScopedInjection
@_exported public import ScopedInjectionValues

extension DependencyValues {
    /// Gives dates.
    public var date: DateGenerator {
        get { self[DateGenerator.self] }
        set { self[DateGenerator.self] = newValue }
    }

    /// Gives identifiers.
    public var uuid: UUIDGenerator {
        get { self[UUIDGenerator.self] }
        set { self[UUIDGenerator.self] = newValue }
    }

    /// A clock that goes on while the machine sleeps.
    public var continuousClock: any Clock<Duration> {
        get { self[ContinuousClockKey.self] }
        set { self[ContinuousClockKey.self] = newValue }
    }

    /// A clock that stops while the machine sleeps.
    public var suspendingClock: any Clock<Duration> {
        get { self[SuspendingClockKey.self] }
        set { self[SuspendingClockKey.self] = newValue }
    }
}

/// Gives dates.
public struct DateGenerator: DependencyKey, Sendable {
    private var generate: @Sendable () -> Date

    /// Gives what a closure gives.
    public init(_ generate: @escaping @Sendable () -> Date) { self.generate = generate }

    /// Always gives the same date.
    public static func constant(_ now: Date) -> Self { Self { now } }

    /// The date now.
    public var now: Date {
        get { generate() }
        set { generate = { newValue } }
    }

    /// The date now.
    public func callAsFunction() -> Date { generate() }

    /// The date of the system.
    public static var liveValue: Self { Self { Date() } }

    /// Fails a test; but to set `\.date.now` reads it first, and does not.
    public static var testValue: Self {
        Self { Overrides.isSetting ? Date() : Dependencies.unimplemented("date", placeholder: Date()) }
    }
}

/// Gives identifiers.
public struct UUIDGenerator: DependencyKey, Sendable {
    private let generate: @Sendable () -> UUID

    /// Gives what a closure gives.
    public init(_ generate: @escaping @Sendable () -> UUID) { self.generate = generate }

    /// Always gives the same identifier.
    public static func constant(_ uuid: UUID) -> Self { Self { uuid } }

    /// Gives 0, 1, 2 and so on.
    public static var incrementing: Self {
        let next = Counter()
        return Self { UUID(next()) }
    }

    /// The next identifier.
    public func callAsFunction() -> UUID { generate() }

    /// Random identifiers.
    public static var liveValue: Self { Self { UUID() } }

    /// Fails a test.
    public static var testValue: Self { Self { Dependencies.unimplemented("uuid", placeholder: UUID()) } }
}

private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var next = 0

    func callAsFunction() -> Int {
        lock.withLock {
            defer { next += 1 }
            return next
        }
    }
}

extension UUID {
    /// The identifier of a number.
    public init(_ number: Int) {
        var digits = String(number, radix: 16)
        digits = String(repeating: "0", count: 12 - digits.count) + digits
        self = UUID(uuidString: "00000000-0000-0000-0000-\(digits)") ?? UUID()
    }
}

private enum ContinuousClockKey: DependencyKey {
    static var liveValue: any Clock<Duration> { ContinuousClock() }
    static var testValue: any Clock<Duration> { UnimplementedClock(name: "continuousClock", clock: ContinuousClock()) }
}

private enum SuspendingClockKey: DependencyKey {
    static var liveValue: any Clock<Duration> { SuspendingClock() }
    static var testValue: any Clock<Duration> { UnimplementedClock(name: "suspendingClock", clock: SuspendingClock()) }
}

/// Fails a test that asks it.
private struct UnimplementedClock<Base: Clock>: Clock where Base.Duration == Duration {
    let name: String
    let clock: Base

    var now: Base.Instant { Dependencies.unimplemented("\(name).now", placeholder: clock.now) }
    var minimumResolution: Duration { clock.minimumResolution }

    func sleep(until deadline: Base.Instant, tolerance: Duration?) async throws {
        throw Dependencies.unimplemented("\(name).sleep")
    }
}

extension Clock where Self == ImmediateClock {
    /// A clock whose sleeps end at once.
    public static var immediate: Self { ImmediateClock() }
}
