import Dependencies
import DependenciesTestSupport
import ScopedInjection
import ScopedInjectionTesting
import Testing

// The page "Moving from swift-dependencies": the client has moved, and old code and new read it.

// ⟨MovingFromDependencies.md: struct FileClient⟩ nonisolated private

// ⟨MovingFromDependencies.md: static var files⟩ nonisolated private

// ⟨MovingFromDependencies.md: extension DependencyValues⟩ nonisolated private

nonisolated private func titles(of a: String, _ b: String) async throws -> [String] {
    let files = EnvironmentScope.current.files
    async let first = files.read(a)
    async let second = files.read(b)
    return try await [first, second]
}

// ⟨MovingFromDependencies.md: struct Index⟩ nonisolated private

@Suite("The page about moving: after", .scope { $0.files.exists = { _ in true } })
struct MovedPage {
    @Test func oldCodeAndNewCodeReadOneValue() async throws {
        let answer = try await withDependencies {
            $0.files.read = { "old \($0)" }
        } operation: {
            try await titles(of: "a", "b") + [title(of: "c")]
        }
        #expect(answer == ["old a", "old b", "old c"])
        EnvironmentScope.current.files.read = { "new \($0)" }
        #expect(try await title(of: "d") == "new d")
    }

    @Test func overridesForAnOperation() async throws {
        // ⟨MovingFromDependencies.md: let scope = EnvironmentScope {⟩
        #expect(text == "child's a")
    }

    // ⟨MovingFromDependencies.md: @Test⟩

    @Test func anEndpointThatNobodySetFailsItsTest() async {
        await withKnownIssue { _ = try await title(of: "a") }
    }
}
