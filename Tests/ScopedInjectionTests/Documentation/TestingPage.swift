import ScopedInjection
import Testing

nonisolated private protocol Mailer: Sendable {}
nonisolated private struct SMTPMailer: Mailer { let host: String }
nonisolated private struct Outbox: Mailer {}

nonisolated private struct GitClient: Sendable {
    var tags: @Sendable () throws -> [String]
    var branch: @Sendable () -> String
}

nonisolated extension GitClient {
    static let unimplemented = GitClient(
        tags: { try ScopedInjection.unimplemented("Git.tags") },
        branch: { ScopedInjection.unimplemented("Git.branch", placeholder: "") }
    )
}

nonisolated extension GitClient {
    fileprivate static func live(_ shell: String) throws -> GitClient {
        GitClient(tags: { ["live of \(shell)"] }, branch: { "live of \(shell)" })
    }
}

nonisolated extension ScopeValues {
    fileprivate static var shell: ScopeValue<String> { .value("sh") }
}

nonisolated extension ScopeValues {
    fileprivate static var git: ScopeValue<GitClient> {
        .lazy(inTests: .unimplemented) { try .live($0.shell) }
    }
}

nonisolated extension ScopeValues { fileprivate static var mailHost: ScopeValue<String> { .value("mail.example.com") } }

nonisolated extension ScopeValues {
    fileprivate static var limit: ScopeValue<Int> { .value(100, isSafeInTests: true) }
    fileprivate static var retries: ScopeValue<Int> { .value(5, inTests: 0) }
    fileprivate static var mailer: ScopeValue<any Mailer> {
        .lazy(inTests: Outbox()) { SMTPMailer(host: try $0.mailHost) }
    }
}

@Suite("Documentation: testing")
struct TestingPage {
    @Test func servesTheUser() throws {
        let scope = EnvironmentScope("test", parent: nil, defaults: .forbidden) {
            $0.database = InMemory()
            $0.user = User(name: "Ada")
        }
        #expect(try scope { try Handler().run() } == "Ada reads :memory:")
    }

    @Test func forgetsTheDatabase() {
        let scope = EnvironmentScope.empty("test", parent: nil, defaults: .forbidden)
        #expect(throws: ScopeError.self) { try scope.value(for: \.database) }
    }

    @Test func usesWhatHarmsNoTest() {
        let scope = EnvironmentScope.empty("test", parent: nil, defaults: .forbidden)
        #expect(scope.limit == 100 && scope.retries == 0 && scope.mailer is Outbox)
        let live = EnvironmentScope.empty("live", parent: nil)
        #expect(live.retries == 5)
        #expect((live.mailer as? SMTPMailer)?.host == "mail.example.com")
    }

    @Test func changesAPartOfAClient() throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let test = EnvironmentScope("test", parent: app) {
            $0.modify(\.git) { $0.tags = { ["1.0"] } }
            $0.shell = "zsh"
        }
        #expect(try test.git.tags() == ["1.0"])
        #expect(test.git.branch() == "live of zsh")
    }

    @Test func readsAnotherFile() throws {
        let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" }
        let test = EnvironmentScope("test", parent: app) { $0.databasePath = "test.db" }
        let answer = try test { try Handler().run() }
        #expect(answer == "nobody reads test.db")
        #expect(!app.explain(\.database).isKept)
    }
}
