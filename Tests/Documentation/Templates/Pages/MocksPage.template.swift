import ScopedInjection
import Testing

nonisolated private protocol Mailer: Sendable {}
nonisolated private struct SMTPMailer: Mailer { let host: String }
nonisolated private struct Outbox: Mailer {}

// ⟨Mocks.md: struct GitClient⟩ nonisolated private

nonisolated extension GitClient {
    fileprivate static func live(_ shell: String) throws -> GitClient {
        GitClient(tags: { ["live of \(shell)"] }, branch: { "live of \(shell)" })
    }
}

nonisolated extension ScopeValues {
    fileprivate static var shell: ScopeValue<String> { .value("sh") }
}

nonisolated extension ScopeValues { fileprivate static var mailHost: ScopeValue<String> { .value("mail.example.com") } }

// ⟨Mocks.md: static var limit⟩ nonisolated private

private final class Model: Sendable { let database = Injected(\.database) }

@Suite("Documentation: mocks")
struct MocksPage {
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
        // ⟨Mocks.md: let test⟩
    }

    @Test("A preview has a scope of its own")
    func previews() {
        let model = Model()
        // ⟨Mocks.md: let preview⟩
        #expect(model.database().path == ":memory:")
    }
}
