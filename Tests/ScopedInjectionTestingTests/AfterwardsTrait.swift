import Testing

/// Runs when the scope of a case is over, also if the case threw: stands before the scope's trait.
struct AfterwardsTrait: TestTrait, TestScoping {
    let body: @Sendable () async -> Void

    @concurrent
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        do { try await function() } catch {
            await body()
            throw error
        }
        await body()
    }
}

extension Trait where Self == AfterwardsTrait {
    static func afterwards(_ body: @escaping @Sendable () async -> Void) -> Self { AfterwardsTrait(body: body) }
}
