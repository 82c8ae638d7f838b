public import ScopedInjection

/// What a release needs of a repository, as a struct of closures.
public struct GitClient: Sendable {
    public var tags: @Sendable () throws -> [String]
    public var branch: @Sendable () -> String
    public var commitCount: @Sendable (_ tag: String) throws -> Int
    public var tag: @Sendable (_ name: String) async throws -> Void
}

extension GitClient {
    static func live(in folder: String) -> GitClient {
        GitClient(
            tags: { ["live tag of \(folder)"] },
            branch: { "live branch" },
            commitCount: { _ in 1_000 },
            tag: { _ in }
        )
    }

    /// What tests get: each endpoint fails the test that reaches it.
    static let unimplemented = GitClient(
        tags: { try ScopedInjection.unimplemented("Git.tags") },
        branch: { ScopedInjection.unimplemented("Git.branch", placeholder: "") },
        commitCount: { _ in try ScopedInjection.unimplemented("Git.commitCount") },
        tag: { _ in try ScopedInjection.unimplemented("Git.tag") }
    )
}

extension ScopeValues {
    public static var folder: ScopeValue<String> { .value("/srv/repository") }
    public static var prefix: ScopeValue<String> { .value("v", isSafeInTests: true) }
    public static var limit: ScopeValue<Int> { .value(20, inTests: 3) }
    public static var author: ScopeValue<String?> { .optional() }
    public static var token: ScopeValue<String> { .required(inTests: "token of tests") }
    public static var git: ScopeValue<GitClient> { .lazy(inTests: .unimplemented) { .live(in: try $0.folder) } }
    /// Its builder harms no test, but what it reads may.
    public static var log: ScopeValue<String> { .lazy(isSafeInTests: true) { "\(try $0.folder)/log" } }
}
