import Foundation
import Testing

/// Checks that the compiler has seen all code that the documentation shows.
@Suite("Documentation: each piece of Swift code stands in a file that is compiled")
struct CodeBlockTests {
    private static let libraries = ["Sources/ScopedInjection", "Sources/ScopedInjectionTesting"]
    private static let articlePaths = libraries.flatMap { ProjectFiles.files(below: $0, suffix: ".md") }
    private static let sourcePaths = libraries.flatMap { ProjectFiles.files(below: $0, suffix: ".swift") }

    @Test("In the articles and in the README", arguments: articlePaths + ["README.md"])
    func articles(_ path: String) throws {
        try check(Page(path))
    }

    @Test("In the comments of both libraries", arguments: sourcePaths)
    func comments(_ path: String) throws {
        let comments = try ProjectFiles.lines(of: path).map { line in
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            return trimmed.hasPrefix("///") ? String(trimmed.dropFirst(3)) : ""
        }
        check(Page(name: path, lines: comments))
    }

    /// Compares piece by piece; blank lines separate pieces, and each may be compiled in any file.
    private func check(_ page: Page) {
        for block in page.blocks where block.language == "swift" {
            for piece in Self.pieces(of: block.text) where !Self.compiled.contains(where: { $0.contains(piece) }) {
                Issue.record("\(page.name):\(block.line): not found in a file that is compiled:\n\(piece)")
            }
        }
    }

    private static let compiled: [String] = {
        let tests = ["ScopedInjectionTests", "ScopedInjectionTestingTests", "MainActorTests", "ShopTests"]
        let folders = tests.map { "Tests/\($0)" } + ["Samples/Moving/Programs"]
        let files = folders.flatMap { ProjectFiles.files(below: $0, suffix: ".swift") }
        return files.map { file in (try? ProjectFiles.lines(of: file)).map { normalised($0) } ?? "" }
    }()

    private static func pieces(of text: String) -> [String] {
        let lines = text.components(separatedBy: "\n")
        return lines.split { $0.allSatisfy(\.isWhitespace) }.map { normalised(Array($0)) }.filter { !$0.isEmpty }
    }

    private static let unseen: Set<Substring> = ["private", "fileprivate", "nonisolated"]

    /// Removes comments, all spaces and line breaks, and the modifiers that a page does not show: what makes names local to a file,
    /// and what a file needs in a module whose default isolation is the main actor.
    private static func normalised(_ lines: [String]) -> String {
        lines.flatMap { line -> [Substring] in
            let comment = line.hasPrefix("//") ? line.startIndex..<line.endIndex : line.range(of: " //")
            let code = comment.map { line[..<$0.lowerBound] } ?? line[...]
            return code.split(whereSeparator: \.isWhitespace).filter { !unseen.contains($0) }
        }.joined()
    }
}
