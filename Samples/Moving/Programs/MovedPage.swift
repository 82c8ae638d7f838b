import Dependencies
import DependenciesTestSupport
import ScopedInjection
import ScopedInjectionTesting
import Testing

// The page "Moving from swift-dependencies": the client has moved, and old code and new read it.

nonisolated private struct FileClient: Sendable {
    var exists: @Sendable (String) -> Bool
    var read: @Sendable (String) async throws -> String

    static let live = FileClient(
        exists: { !$0.isEmpty },
        read: { "text of \($0)" }
    )
    static let unimplemented = FileClient(
        exists: { _ in
            ScopedInjection.unimplemented("Files.exists", placeholder: false)
        },
        read: { _ in try ScopedInjection.unimplemented("Files.read") }
    )
}

nonisolated extension ScopeValues {
    fileprivate static var files: ScopeValue<FileClient> {
        .lazy(inTests: .unimplemented) { _ in .live }
    }
}

nonisolated extension DependencyValues {
    fileprivate var files: FileClient {
        get { self[\.files] }
        set { self[\.files] = newValue }
    }
}

nonisolated private func title(of path: String) async throws -> String {
    @Dependency(\.files) var files
    guard files.exists(path) else { return "none" }
    return try await files.read(path)
}

nonisolated private func titles(of a: String, _ b: String) async throws -> [String] {
    let files = EnvironmentScope.current.files
    async let first = files.read(a)
    async let second = files.read(b)
    return try await [first, second]
}

nonisolated private struct Index: Sendable {
    @Injected(\.files) private var files
    @Injected({ $0.files.exists }) private var exists

    func has(_ path: String) -> Bool { files.exists(path) && exists(path) }
}

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
        let scope = EnvironmentScope { $0.files.exists = { $0 == "a" } }
        let answers = scope { [Index().has("a"), Index().has("b")] }
        #expect(answers == [true, false])

        let text = try await EnvironmentScope.current.withChild {
            $0.files.read = { "child's \($0)" }
        } operation: {
            try await title(of: "a")
        }
        #expect(text == "child's a")
    }

    @Test(.scope { $0.files.read = { "trait's \($0)" } })
    func anOverrideOfATest() async throws {
        #expect(try await title(of: "a") == "trait's a")
        EnvironmentScope.current.files.exists = { _ in false }
        #expect(try await title(of: "a") == "none")
    }

    @Test func aTransactionOnAnotherThread() async throws {
        let scope = EnvironmentScope.current
        scope.files.read = { "\($0)" }
        let stored = try await transaction { number in
            try await scope { try await title(of: "\(number)") }
        }
        #expect(stored == "7")
    }

    @Test func anEndpointThatNobodySetFailsItsTest() async {
        await withKnownIssue { _ = try await title(of: "a") }
    }
}
