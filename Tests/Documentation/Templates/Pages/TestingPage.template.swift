import ScopedInjection
import ScopedInjectionTesting
import Testing

nonisolated private protocol Mailer: Sendable {}
nonisolated private struct SMTPMailer: Mailer { let host: String }
nonisolated private struct Outbox: Mailer {}

// ⟨Testing.md: struct GitClient⟩ nonisolated private

nonisolated extension GitClient {
    fileprivate static func live(_ shell: String) throws -> GitClient {
        GitClient(tags: { ["live of \(shell)"] }, branch: { "live of \(shell)" })
    }
}

nonisolated extension ScopeValues {
    fileprivate static var shell: ScopeValue<String> { .value("sh") }
}

nonisolated extension ScopeValues { fileprivate static var mailHost: ScopeValue<String> { .value("mail.example.com") } }

// ⟨Testing.md: static var limit⟩ nonisolated private

nonisolated private func makeApp() -> EnvironmentScope {
    EnvironmentScope("app", parent: nil) {
        $0.databasePath = "live.db"
        $0.provide(\.database) { try SQLite(path: $0.databasePath) }
    }
}

@Suite("Documentation: testing")
struct TestingPage {
    // ⟨Testing.md: func servesTheUser⟩

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
        // ⟨Testing.md: let test⟩
    }

    // ⟨Testing.md: func readsAnotherFile⟩
}
