import ScopedInjection
import Testing

// ⟨References.md: struct Endpoint⟩ private

@Suite("Documentation: references")
struct ReferencesPage {
    @Test("References read from the current scope, or from their own")
    func references() throws {
        // ⟨References.md: let app⟩
        #expect(test { address() } == "localhost:1")
        #expect(try test { try endpoint.$port.value() } == 1)

        // ⟨References.md: endpoint.$port.scope⟩

        // ⟨References.md: let mailer⟩
    }
}
