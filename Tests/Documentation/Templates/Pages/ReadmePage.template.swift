import Foundation
import ScopedInjection
import ScopedInjectionTesting
import Testing

// ⟨README.md: @Suite⟩

// The scopes that the pages show are those of programs, and give their defaults; those of tests have traits.
@Suite("Documentation: the README", .globalDefaults(.allowed))
struct ReadmePage {
    @Test("The README's links lead to files, but for the one to the site of the documentation")
    func links() throws {
        let text = try ProjectFiles.lines(of: "README.md").joined(separator: "\n")
        let links = text.matches(of: /\]\(([^)]+)\)/).map { String($0.1) }
        #expect(links.count > 10)
        // All but the one to the site, whose place is filled in by who hosts it.
        for link in links where !link.hasPrefix("https://") { #expect(ProjectFiles.hasFile(at: link), "\(link)") }
    }

    @Test("The README's program does what its comments say, and draws its picture")
    func program() throws {
        let printed = Box<[String]>([])
        func print(_ line: String) { printed.update { $0.append(line) } }

        // ⟨part of README.md: let app⟩

        // ⟨README.md: request.databasePath⟩

        let page = try Page("README.md")
        let promised = page.texts("swift").joined(separator: "\n").split(separator: "\n")
            .filter { $0.contains("print(") && $0.contains("  // ") }
            .compactMap { $0.split(separator: "//").last?.trimmingCharacters(in: .whitespaces) }
        #expect(promised == Array(printed.value.dropLast()))
        // GitHub draws the picture as it stands.
        #expect(page.texts("mermaid").map { $0 + "\n" } == printed.value.suffix(1))
    }

    @Test("A request's scope lasts as long as its operation")
    func request() async throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let user = User(name: "Ada")
        let respond: @Sendable () async throws -> Void = { #expect(EnvironmentScope.current.user == user) }
        // ⟨README.md: try await app.withChild⟩
    }

    @Test("The README's first block is a whole program, with five values in five lines")
    func firstBlock() throws {
        let block = try #require(Page("README.md").texts("swift").first)
        #expect(block.hasPrefix("import ScopedInjection\n"))
        #expect(block.split(separator: "\n").filter { $0.contains("static var ") }.count == 5)
    }
}
