import Dependencies
import DependenciesTestSupport
import Testing

// The page "Moving from swift-dependencies": a client before it moves.

nonisolated private struct FileClient: Sendable {
    var exists: @Sendable (String) -> Bool
    var read: @Sendable (String) async throws -> String
}

nonisolated extension FileClient: DependencyKey {
    static var liveValue: Self {
        .init(exists: { !$0.isEmpty }, read: { "text of \($0)" })
    }
}

nonisolated extension FileClient: TestDependencyKey {
    static var testValue: Self {
        .init(
            exists: unimplemented("Files.exists", placeholder: false),
            read: unimplemented("Files.read")
        )
    }
}

nonisolated extension DependencyValues {
    fileprivate var files: FileClient {
        get { self[FileClient.self] }
        set { self[FileClient.self] = newValue }
    }
}

// ⟨part of MovingFromDependencies.md: func title(⟩ nonisolated private

@Suite("The page about moving: before", .dependencies { _ in })
struct BeforePage {
    @Test func anOverride() async throws {
        let answer = try await withDependencies {
            $0.files.exists = { _ in true }
            $0.files.read = { _ in "a title" }
        } operation: {
            try await title(of: "a")
        }
        #expect(answer == "a title")
    }
}
