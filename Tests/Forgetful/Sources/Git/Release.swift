import ScopedInjection

/// Names releases after what the repository has.
package struct Release: Sendable {
    @Injected(\.git) private var git
    @Injected(\.prefix) private var prefix
    @Injected(\.limit) private var limit
    @Injected(\.folder) private var folder
    @Injected(\.log) private var log
    @Injected(\.author) private var author
    @Injected(\.token) private var token

    package init() {}

    package func next() throws -> String { try "\(prefix)\(git.tags().count + 1)" }
    package func latest() throws -> String? { try git.tags().prefix(limit).last }
    package func title() -> String { "\(prefix) of \(git.branch())" }
    package func size(since tag: String) throws -> Int { try git.commitCount(tag) }
    package func publish() async throws { try await git.tag(next()) }
    package var place: String { folder }
    package var logPlace: String { log }
    package var maximum: Int { limit }
    package var writer: String { author ?? "nobody" }
    package var credentials: String { token }
}
