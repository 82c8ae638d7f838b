import ScopedInjection

/// Sets dependencies for the whole program, at its start; in a test, for the test.
@discardableResult
public func prepareDependencies<R>(_ update: (inout DependencyValues) throws -> R) rethrows -> R {
    try DependencyValues.set(in: Overrides.scope ?? .global, isOverride: Overrides.scope != nil, update)
}

/// Passes on what is in force here, for code that no task-local reaches.
public func withEscapedDependencies<R>(_ operation: (DependencyValues.Continuation) throws -> R) rethrows -> R {
    try operation(DependencyValues.Continuation(.current, overrides: Overrides.scope))
}

/// Passes on what is in force here, for code that no task-local reaches.
public func withEscapedDependencies<R>(
    isolation: isolated (any Actor)? = #isolation,
    _ operation: (DependencyValues.Continuation) async throws -> R
) async rethrows -> R {
    try await operation(DependencyValues.Continuation(.current, overrides: Overrides.scope))
}

extension DependencyValues {
    /// What was in force.
    public struct Continuation: Sendable {
        private let scope: EnvironmentScope
        private let overrides: EnvironmentScope?

        init(_ scope: EnvironmentScope, overrides: EnvironmentScope?) {
            (self.scope, self.overrides) = (scope, overrides)
        }

        /// Runs an operation with it.
        public func yield<R>(_ operation: () throws -> R) rethrows -> R {
            try Overrides.$scope.withValue(overrides) { try scope { try operation() } }
        }

        /// Runs an asynchronous operation with it.
        public func yield<R>(
            isolation: isolated (any Actor)? = #isolation,
            _ operation: () async throws -> R
        ) async rethrows -> R {
            try await Overrides.$scope.withValue(overrides) { try await scope { try await operation() } }
        }
    }
}
