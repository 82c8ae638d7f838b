package import ScopedInjection

/// What a release needs of a repository, as a struct of closures; each fails a test that reaches it unset.
package struct GitClient: Sendable {
    package var tags: @Sendable () throws -> [String] = unimplemented("Git.tags")
    package var branch: @Sendable () -> String = unimplemented("Git.branch", placeholder: "")
    package var commitCount: @Sendable (_ tag: String) throws -> Int = unimplemented("Git.commitCount")
    package var tag: @Sendable (_ name: String) async throws -> Void = unimplemented("Git.tag")
}

/// A client that has no value for tests.
package struct FileClient: Sendable {
    package var exists: @Sendable (_ path: String) -> Bool = { _ in false }
    package var contents: @Sendable (_ path: String) -> String = { "live contents of \($0)" }
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
}

extension ScopeValues {
    package static var folder: ScopeValue<String> { .value("/srv/repository") }
    package static var prefix: ScopeValue<String> { .value("v", isSafeInTests: true) }
    package static var limit: ScopeValue<Int> { .value(20, inTests: 3) }
    package static var author: ScopeValue<String?> { .optional() }
    package static var token: ScopeValue<String> { .required(inTests: "token of tests") }
    package static var files: ScopeValue<FileClient> { .value(FileClient()) }
    package static var git: ScopeValue<GitClient> { .lazy(inTests: GitClient()) { .live(in: try $0.folder) } }
    /// Its builder harms no test, but what it reads may.
    package static var log: ScopeValue<String> { .lazy(isSafeInTests: true) { "\(try $0.folder)/log" } }
}
