import ScopedInjection
import Testing

@Suite("Documentation: ownership")
struct OwnershipPage {
    @Test("A parent that is gone is an error")
    func gone() {
        // ⟨Ownership.md: func makeRequest⟩
    }

    @Test("The table has ten rows")
    func rows() throws {
        let lines = try ProjectFiles.lines(of: "\(ProjectFiles.catalog)/Ownership.md")
        #expect(lines.filter { $0.hasPrefix("|") }.count == 12)
    }
}
