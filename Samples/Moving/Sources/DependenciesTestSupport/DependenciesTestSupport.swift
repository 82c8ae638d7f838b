// The traits of swift-dependencies. Copy this file into a target of yours that is called DependenciesTestSupport.

public import Dependencies
import ScopedInjection
@_exported public import ScopedInjectionTesting
public import Testing

/// Gives each case of a test values of its own.
public struct DependenciesTrait: TestTrait, SuiteTrait, TestScoping {
    private let scope: ScopeTrait

    fileprivate init(_ update: @escaping @Sendable (inout DependencyValues) async throws -> Void) {
        scope = .scope { try await DependencyValues.set(in: $0, update) }
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
    /// Values of its own for each case.
    public static var dependencies: Self { Self { _ in } }

    /// Overrides one dependency, or a part of one; the value is made for each case.
    public static func dependency<Value: Sendable>(
        _ path: any WritableKeyPath<DependencyValues, Value> & Sendable,
        _ value: @autoclosure @escaping @Sendable () throws -> Value
    ) -> Self {
        Self { $0[keyPath: path] = try value() }
    }

    /// Overrides the dependency of which a type is its own key; the value is made for each case.
    public static func dependency<Value: TestDependencyKey & Sendable>(
        _ value: @autoclosure @escaping @Sendable () throws -> Value
    ) -> Self where Value == Value.Value {
        Self { $0[Value.self] = try value() }
    }

    /// Overrides dependencies.
    public static func dependencies(
        _ update: @escaping @Sendable (inout DependencyValues) async throws -> Void
    ) -> Self {
        Self(update)
    }
}
