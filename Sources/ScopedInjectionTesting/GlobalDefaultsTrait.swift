public import ScopedInjection
public import Testing

/// Says whether the global scope gives defaults, for the rest of the test process.
///
/// Write it as `.globalDefaults(.allowed)` or `.globalDefaults(.forbidden)`.
public struct GlobalDefaultsTrait: SuiteTrait, TestTrait {
    let policy: DefaultsPolicy

    /// Sets the policy, before the first test of the process runs.
    public func prepare(for test: Test) async throws { EnvironmentScope.setGlobalDefaults(policy) }
}

extension Trait where Self == GlobalDefaultsTrait {
    /// Says whether the global scope gives defaults, for all tests of the process.
    ///
    /// Without it, a live default that is read through the global scope is given, and fails the test. Tests without a scope,
    /// detached tasks, queues and threads read through the global scope. With `.forbidden` they get no live default: a read that
    /// can throw throws the error `defaultForbidden`, and another one ends the process, with a text that names the test. With
    /// `.allowed` they get live defaults, and nothing is told.
    ///
    /// ```swift
    /// @Suite(.globalDefaults(.forbidden))
    /// struct ServerTests {
    ///     @Test(.scope { $0.port = 1 })
    ///     func readsItsPort() {
    ///         #expect(EnvironmentScope.current.port == 1)
    ///     }
    /// }
    /// ```
    ///
    /// It takes effect before the first test runs, and lasts until the process ends. One test that runs with the trait
    /// is enough.
    public static func globalDefaults(_ policy: DefaultsPolicy) -> GlobalDefaultsTrait {
        GlobalDefaultsTrait(policy: policy)
    }
}
