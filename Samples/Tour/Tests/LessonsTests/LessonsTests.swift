import Foundation
import Lessons
import Synchronization
import Testing

@Suite("The tour")
struct LessonsTests {
    @Test("The README shows what the lessons print")
    func output() async throws {
        let lines = Lines()
        try await Lessons.run(on: Page { lines.add($0) })
        // Line by line, so that a failure names the lines that differ.
        #expect(try lines.all == linesInReadme())
    }

    /// The lines between the fences of the README's text block.
    private func linesInReadme() throws -> [String] {
        let readme = URL(filePath: #filePath).appending(path: "../../../README.md").standardizedFileURL
        let lines = try String(contentsOf: readme, encoding: .utf8).components(separatedBy: "\n")
        let start = try #require(lines.firstIndex(of: "```text"), "the README has no text block")
        let end = try #require(lines[start...].firstIndex(of: "```"), "the README's text block does not end")
        return Array(lines[(start + 1)..<end])
    }
}

private final class Lines: Sendable {
    private let added = Mutex<[String]>([])

    var all: [String] { added.withLock { $0 } }

    func add(_ line: String) { added.withLock { $0.append(line) } }
}
