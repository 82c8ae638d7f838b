import ScopedInjection

/// Names releases after what the repository has.
public struct Release: Sendable {
    @Injected(\.git) private var git
    @Injected(\.prefix) private var prefix
    @Injected(\.limit) private var limit
    @Injected(\.folder) private var folder
    @Injected(\.log) private var log
    @Injected(\.author) private var author
    @Injected(\.token) private var token

    public init() {}

    public func next() throws -> String { try "\(prefix)\(git.tags().count + 1)" }
    public func latest() throws -> String? { try git.tags().prefix(limit).last }
    public func title() -> String { "\(prefix) of \(git.branch())" }
    public func size(since tag: String) throws -> Int { try git.commitCount(tag) }
    public func publish() async throws { try await git.tag(next()) }
    public var place: String { folder }
    public var logPlace: String { log }
    public var maximum: Int { limit }
    public var writer: String { author ?? "nobody" }
    public var credentials: String { token }
}
