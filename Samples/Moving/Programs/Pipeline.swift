import Dependencies
import Foundation

// What uses the clients, as it is written for swift-dependencies.

nonisolated struct Package: Equatable, Sendable {
    var tags: [String]
    var date: Date
    var branch: String
}

nonisolated enum Ingestion {
    static func ingest(_ folder: String) async throws -> Package {
        @Dependency(\.git) var git
        @Dependency(\.log) var log
        let package = Package(
            tags: try await git.tags(folder),
            date: try await git.commitDate(folder),
            branch: git.defaultBranch()
        )
        log.write("ingested \(folder)")
        return package
    }

    static func bucket() -> String {
        @Dependency(\.environment) var environment
        return environment.bucket() ?? "none"
    }
}

nonisolated final class DocumentationModel: @unchecked Sendable {
    @Dependency(\.date.now) private var now
    @Dependency(\.uuid) private var uuid
    @Dependency(EnvironmentClient.self) private var environment

    func upload() -> String {
        "\(uuid()) to \(environment.bucket() ?? "none") at \(now.timeIntervalSince1970)"
    }

    func child() -> DocumentationModel {
        withDependencies(from: self) {
            $0.environment.bucket = { "child" }
        } operation: {
            DocumentationModel()
        }
    }
}

nonisolated func transaction<R>(_ body: @escaping @Sendable (Int) async throws -> R) async throws -> R
where R: Sendable {
    try await Task.detached { try await body(7) }.value
}

nonisolated func store(_ folder: String) async throws -> String {
    try await withEscapedDependencies { dependencies in
        try await transaction { number in
            try await dependencies.yield {
                @Dependency(\.git) var git
                return "\(number): \(try await git.tags(folder).joined())"
            }
        }
    }
}

nonisolated func retry<T: Sendable>(
    every interval: Duration,
    times: Int,
    _ body: @Sendable () async throws -> T
) async throws -> T {
    @Dependency(\.continuousClock) var clock
    for _ in 1..<times {
        if let result = try? await body() { return result }
        try await clock.sleep(for: interval)
    }
    return try await body()
}
