public import Testing

/// Makes the global scope forbid defaults, for the rest of the test process.
///
/// Write it as `.globalDefaultsForbidden`.
public struct GlobalDefaultsTrait: SuiteTrait, TestTrait {
    /// Forbids the defaults, before the first test of the process runs.
    public func prepare(for test: Test) async throws { GlobalWatch.forbidDefaults() }
}

extension Trait where Self == GlobalDefaultsTrait {
    /// Makes the global scope forbid defaults, whichever code reads them, before the first test of the process runs.
    ///
    /// ```swift
    /// @Suite(.globalDefaultsForbidden)
    /// struct ServerTests { … }
    /// ```
    ///
    /// For those who want it absolute: tests without a scope, detached tasks, queues and threads that read through the
    /// global scope get no default but harmless ones. A read that can throw throws; one that cannot ends the process,
    /// with a text that names the test where it is known. It lasts as long as the process, and holds for all its tests
    /// where one of those that run has the trait.
    public static var globalDefaultsForbidden: GlobalDefaultsTrait { GlobalDefaultsTrait() }
}
