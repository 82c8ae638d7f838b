public import Testing

/// Makes the global scope forbid defaults, for the rest of the test process.
///
/// Write it as `.globalDefaultsForbidden`.
public struct GlobalDefaultsTrait: SuiteTrait, TestTrait {
    /// Forbids the defaults, before the first test of the process runs.
    public func prepare(for test: Test) async throws { GlobalWatch.forbidDefaults() }
}

extension Trait where Self == GlobalDefaultsTrait {
    /// Makes the global scope forbid defaults, for all tests of the process.
    ///
    /// Use it where no code may get a live default while the tests run. Tests without a scope, detached tasks, queues
    /// and threads read through the global scope, and then get only the defaults that are safe in tests, and those that
    /// are declared `inTests:`.
    ///
    /// ```swift
    /// @Suite(.globalDefaultsForbidden)
    /// struct ServerTests {
    ///     @Test(.scope { $0.port = 1 })
    ///     func readsItsPort() {
    ///         #expect(EnvironmentScope.current.port == 1)
    ///     }
    /// }
    /// ```
    ///
    /// A read that can throw throws the error `defaultForbidden`. Another one ends the process, with a text that names
    /// the test, or those that may be meant.
    ///
    /// It takes effect before the first test runs, and lasts until the process ends. One test that runs with the trait
    /// is enough.
    public static var globalDefaultsForbidden: GlobalDefaultsTrait { GlobalDefaultsTrait() }
}
