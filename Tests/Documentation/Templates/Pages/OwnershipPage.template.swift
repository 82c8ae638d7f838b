import ScopedInjection
import Testing

private final class Mailer: Sendable { let user = Injected(\.user) }

extension ScopeValues {
    fileprivate static var mailer: ScopeValue<Mailer?> { .optional() }
}

@Suite("Documentation: ownership")
struct OwnershipPage {
    @Test("A parent that is gone is an error")
    func gone() {
        // ⟨Ownership.md: func makeRequest⟩
    }

    @Test("A bound reference does not own its owner")
    func bound() {
        // ⟨Ownership.md: weak var gone⟩
    }

    @Test("The table has ten rows")
    func rows() throws {
        let lines = try ProjectFiles.lines(of: "\(ProjectFiles.catalog)/Ownership.md")
        #expect(lines.filter { $0.hasPrefix("|") }.count == 12)
    }
}
