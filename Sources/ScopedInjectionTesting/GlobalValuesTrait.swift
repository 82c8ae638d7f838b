public import ScopedInjection
public import Testing

/// Sets values in the global scope, for all tests of the process.
///
/// Write it as `.globalValues { … }`.
public struct GlobalValuesTrait: SuiteTrait, TestTrait {
    let configure: @Sendable (EnvironmentScope) async throws -> Void
    /// Whether it has been prepared; all copies of the trait share it.
    private let isPrepared = Shared()

    private final class Shared: Sendable { let state = Guarded(false) }

    init(_ configure: @escaping @Sendable (EnvironmentScope) async throws -> Void) { self.configure = configure }

    /// Sets the values, before the first test of the process runs.
    ///
    /// - Throws: What the trait's closure throws.
    public func prepare(for test: Test) async throws {
        let wasPrepared = isPrepared.state.withLock { isPrepared in
            defer { isPrepared = true }
            return isPrepared
        }
        if wasPrepared { return }
        try await GlobalWatch.$isSettingForAll.withValue(true) { try await configure(.global) }
    }
}

extension Trait where Self == GlobalValuesTrait {
    /// Sets values in the global scope, for all tests of the process.
    ///
    /// Use it for what code without a scope reads: a logger, a clock. Anything else that is set in the global scope while tests run
    /// is an issue, because all tests share it.
    ///
    /// ```swift
    /// @Suite(.globalValues { $0.logger = TestLogger() })
    /// struct ServerTests {
    ///     @Test func startsServer() async throws {}
    /// }
    /// ```
    ///
    /// It takes effect before the first test runs, once for each place where it stands, and lasts until the process ends. A trait of
    /// a suite counts where any of its tests runs: a test that needs it has it itself, or runs alone without it.
    ///
    /// - Parameter configure: Sets the values. What it throws is an issue of the test or suite.
    public static func globalValues(
        _ configure: @escaping @Sendable (EnvironmentScope) async throws -> Void
    ) -> GlobalValuesTrait {
        GlobalValuesTrait(configure)
    }
}
