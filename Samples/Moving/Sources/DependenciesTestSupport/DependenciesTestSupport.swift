// The traits of swift-dependencies. Copy this file into a target of yours that is called DependenciesTestSupport.

public import Dependencies
import ScopedInjection
@_exported public import ScopedInjectionTesting
public import Testing

/// Gives each case of a test values of its own.
public struct DependenciesTrait: TestTrait, SuiteTrait, TestScoping {
    private let scope: ScopeTrait

    fileprivate init(_ update: @escaping @Sendable (inout DependencyValues) -> Void) {
        scope = .scope { DependencyValues.set(in: $0, update) }
    }

    /// True: the trait of a suite is for every test in it, at any depth.
    public var isRecursive: Bool { true }

    /// The trait, where it makes a scope.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        scope.scopeProvider(for: test, testCase: testCase) == nil ? nil : self
    }

    /// Runs a case in a scope of its own.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await scope.provideScope(for: test, testCase: testCase) {
            try await Overrides.$scope.withValue(testCase == nil ? nil : .current) { try await function() }
        }
    }
}

extension Trait where Self == DependenciesTrait {
    /// Overrides one dependency, or a part of one.
    public static func dependency<Value: Sendable>(
        _ path: any WritableKeyPath<DependencyValues, Value> & Sendable,
        _ value: Value
    ) -> Self {
        Self { $0[keyPath: path] = value }
    }

    /// Overrides the dependency of which a type is its own key.
    public static func dependency<Value: TestDependencyKey & Sendable>(_ value: Value) -> Self
    where Value == Value.Value {
        Self { $0[Value.self] = value }
    }

    /// Overrides dependencies.
    public static func dependencies(_ update: @escaping @Sendable (inout DependencyValues) -> Void) -> Self {
        Self(update)
    }
}

/// A clock whose sleeps end at once.
public struct ImmediateClock: Clock, Sendable {
    private let clock = TestClock()

    /// Makes one.
    public init() {}

    /// The sum of all sleeps.
    public var now: TestClock.Instant { clock.now }

    /// None.
    public var minimumResolution: Duration { .zero }

    /// Advances to the deadline, at once.
    public func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        clock.advance(by: clock.now.duration(to: deadline))
        await Task.yield()
    }
}

extension Clock where Self == ImmediateClock {
    /// A clock whose sleeps end at once.
    public static var immediate: Self { ImmediateClock() }
}
