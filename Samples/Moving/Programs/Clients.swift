import Dependencies
import Foundation

// The clients of a server that indexes packages, as they are written for swift-dependencies. They compile as they stand.
// (`nonisolated` is for the dialect whose default isolation is the main actor.)

nonisolated struct ShellClient: Sendable {
    var run: @Sendable (_ command: String, _ folder: String) async throws -> String
}

nonisolated extension ShellClient: DependencyKey {
    static var liveValue: Self {
        .init(run: { command, folder in "ran \(command) in \(folder)" })
    }
}

nonisolated extension ShellClient: TestDependencyKey {
    static var testValue: Self {
        .init(run: unimplemented("Shell.run"))
    }
}

nonisolated extension DependencyValues {
    var shell: ShellClient {
        get { self[ShellClient.self] }
        set { self[ShellClient.self] = newValue }
    }
}

// A client over another, which it reads when it is called.
nonisolated struct GitClient: Sendable {
    var tags: @Sendable (_ folder: String) async throws -> [String]
    var commitDate: @Sendable (_ folder: String) async throws -> Date
    var defaultBranch: @Sendable () -> String
}

nonisolated extension GitClient: DependencyKey {
    static var liveValue: Self {
        .init(
            tags: { folder in
                @Dependency(\.shell) var shell
                return try await shell.run("git tag", folder).split(separator: "\n").map(String.init)
            },
            commitDate: { folder in
                @Dependency(\.shell) var shell
                @Dependency(\.date.now) var now
                _ = try await shell.run("git log -n1", folder)
                return now
            },
            defaultBranch: { "main" }
        )
    }
}

nonisolated extension GitClient: TestDependencyKey {
    static var testValue: Self {
        .init(
            tags: unimplemented("Git.tags"),
            commitDate: unimplemented("Git.commitDate", placeholder: .distantPast),
            defaultBranch: { "main" }  // too common to set
        )
    }
}

nonisolated extension DependencyValues {
    var git: GitClient {
        get { self[GitClient.self] }
        set { self[GitClient.self] = newValue }
    }
}

nonisolated struct EnvironmentClient: Sendable {
    var bucket: @Sendable () -> String?
    var workers: @Sendable () -> Int
}

nonisolated extension EnvironmentClient: DependencyKey {
    static var liveValue: Self {
        .init(bucket: { nil }, workers: { 4 })
    }
}

nonisolated extension EnvironmentClient: TestDependencyKey {
    static var testValue: Self {
        .init(bucket: unimplemented("bucket", placeholder: nil), workers: unimplemented("workers", placeholder: 1))
    }
}

nonisolated extension DependencyValues {
    var environment: EnvironmentClient {
        get { self[EnvironmentClient.self] }
        set { self[EnvironmentClient.self] = newValue }
    }
}

// A key that is no client, with a live value only: a test that reads it has to set it.
nonisolated enum LogKey: DependencyKey {
    static let liveValue: any LogHandling = StandardLog()
}

nonisolated extension DependencyValues {
    var log: any LogHandling {
        get { self[LogKey.self] }
        set { self[LogKey.self] = newValue }
    }
}

nonisolated protocol LogHandling: Sendable {
    func write(_ line: String)
}

nonisolated struct StandardLog: LogHandling {
    func write(_ line: String) { print(line) }
}

nonisolated final class Recorder: LogHandling, @unchecked Sendable {
    private let lock = NSLock()
    private var recorded: [String] = []
    var lines: [String] { lock.withLock { recorded } }
    func write(_ line: String) { lock.withLock { recorded.append(line) } }
}
