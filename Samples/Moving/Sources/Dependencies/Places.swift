// More of the dependencies that swift-dependencies declares itself. Copy what you use.

public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension DependencyValues {
    /// The calendar.
    public var calendar: Calendar {
        get { self[CalendarKey.self] }
        set { self[CalendarKey.self] = newValue }
    }

    /// The locale.
    public var locale: Locale {
        get { self[LocaleKey.self] }
        set { self[LocaleKey.self] = newValue }
    }

    /// The time zone.
    public var timeZone: TimeZone {
        get { self[TimeZoneKey.self] }
        set { self[TimeZoneKey.self] = newValue }
    }

    /// What loads addresses.
    public var urlSession: URLSession {
        get { self[URLSessionKey.self] }
        set { self[URLSessionKey.self] = newValue }
    }

    /// Calls a function with a generator of random numbers.
    public var withRandomNumberGenerator: WithRandomNumberGenerator {
        get { self[WithRandomNumberGenerator.self] }
        set { self[WithRandomNumberGenerator.self] = newValue }
    }
}

private enum CalendarKey: DependencyKey {
    static var liveValue: Calendar { .autoupdatingCurrent }
    static var testValue: Calendar { unimplemented("calendar", placeholder: .autoupdatingCurrent) }
}

private enum LocaleKey: DependencyKey {
    static var liveValue: Locale { .autoupdatingCurrent }
    static var testValue: Locale { unimplemented("locale", placeholder: .autoupdatingCurrent) }
}

private enum TimeZoneKey: DependencyKey {
    static var liveValue: TimeZone { .autoupdatingCurrent }
    static var testValue: TimeZone { unimplemented("timeZone", placeholder: .autoupdatingCurrent) }
}

private enum URLSessionKey: DependencyKey {
    static var liveValue: URLSession { .shared }
    static var testValue: URLSession { unimplemented("urlSession", placeholder: .shared) }
}

/// Calls a function with a generator of random numbers.
public struct WithRandomNumberGenerator: DependencyKey, Sendable {
    private let generator: LockIsolated<any RandomNumberGenerator & Sendable>

    /// Calls functions with one generator, one after the other.
    public init(_ generator: some RandomNumberGenerator & Sendable) { self.generator = LockIsolated(generator) }

    /// Calls a function with the generator.
    public func callAsFunction<R: Sendable>(_ work: @Sendable (inout any RandomNumberGenerator & Sendable) -> R) -> R {
        generator.withValue { work(&$0) }
    }

    /// The generator of the system.
    public static var liveValue: Self { Self(SystemRandomNumberGenerator()) }

    /// Fails a test.
    public static var testValue: Self { Self(UnimplementedGenerator()) }
}

private struct UnimplementedGenerator: RandomNumberGenerator {
    func next() -> UInt64 { unimplemented("withRandomNumberGenerator", placeholder: UInt64.random(in: 0 ... .max)) }
}

/// A value that is known to be used on one thread at a time.
@dynamicMemberLookup
@propertyWrapper
public struct UncheckedSendable<Value>: @unchecked Sendable {
    /// The value.
    public var value: Value

    /// Wraps a value.
    public init(_ value: Value) { self.value = value }

    /// Wraps a value.
    public init(wrappedValue: Value) { value = wrappedValue }

    /// The value.
    public var wrappedValue: Value {
        get { value }
        set { value = newValue }
    }

    /// The wrapper itself.
    public var projectedValue: Self { self }

    /// A part of the value.
    public subscript<Part>(dynamicMember path: KeyPath<Value, Part>) -> Part { value[keyPath: path] }
}

extension AsyncStream {
    /// A stream that gives nothing, and does not end.
    public static var never: Self { Self { _ in } }

    /// A stream that has ended.
    public static var finished: Self { Self { $0.finish() } }
}
