import Foundation
import ScopedInjection
import Testing

private struct Handler: Sendable {
    @Injected(\.database) var database
    @Injected(\.user?.name) var userName

    func run() -> String { "\(userName ?? "nobody") reads \(database.path)" }
}

@Suite("Documentation: the README")
struct ReadmePage {
    @Test("Its links lead to files")
    func links() throws {
        let text = try Repository.lines(of: "README.md").joined(separator: "\n")
        let links = text.matches(of: /\]\(([^)]+)\)/).map { String($0.1) }
        #expect(links.count > 10)
        for link in links { #expect(Repository.hasFile(at: link), "\(link)") }
    }

    @Test("Its program does what its comments say, and draws its picture")
    func program() throws {
        let printed = Box<[String]>([])
        func print(_ line: String) { printed.update { $0.append(line) } }

        let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" }
        let request = EnvironmentScope("request", parent: app) { $0.user = User(name: "Ada") }
        request { print(Handler().run()) }  // Ada reads live.db

        let test = EnvironmentScope("test", parent: nil) { $0.database = InMemory() }
        test { print(Handler().run()) }  // nobody reads :memory:

        request.databasePath = "copy.db"
        request { print(Handler().run()) }  // Ada reads copy.db
        print(app.database.path)  // live.db
        print(request.graph.mermaid)

        let page = try Page("README.md")
        let promised = page.texts("swift").joined(separator: "\n").split(separator: "\n")
            .filter { $0.contains("print(") && $0.contains("  // ") }
            .compactMap { $0.split(separator: "//").last?.trimmingCharacters(in: .whitespaces) }
        #expect(promised == Array(printed.value.dropLast()))
        // GitHub draws the picture as it stands.
        let picture = try inMain(of: page, #require(printed.value.last))
        #expect(page.texts("mermaid", below: "Order does not matter").map { $0 + "\n" } == [picture])
    }

    /// A picture with the lines that the values have where the page's program is the `main.swift` of a package `Notes`.
    private func inMain(of page: Page, _ picture: String) throws -> String {
        let here = try Repository.lines(of: "Tests/ScopedInjectionTests/Documentation/Vocabulary.swift")
        let main = try #require(page.texts("swift").first).components(separatedBy: "\n")
        return try ["databasePath", "database", "user"].reduce(picture) { picture, name in
            func line(in lines: [String]) throws -> Int {
                1 + (try #require(lines.firstIndex { $0.contains("static let \(name) ") }))
            }
            return picture.replacing(
                "DocumentationTests/Vocabulary.swift:\(try line(in: here))<",
                with: "Notes/main.swift:\(try line(in: main))<"
            )
        }
    }

    @Test("Its first block is a whole program, with five values in five lines")
    func firstBlock() throws {
        let block = try #require(Page("README.md").texts("swift").first)
        #expect(block.hasPrefix("import ScopedInjection\n"))
        let declarations = block.split(separator: "\n").filter { $0.contains("static let ") }
        #expect(declarations.count == 5)
    }
}
