import Git
package import Testing

/// A trait that stands for any of another library.
package struct ReadingTrait: TestTrait, TestScoping {
    package init() {}

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        _ = Release().place
        try await function()
    }
}
