import Foundation
import Testing

/// A page of the documentation, read from the repository.
struct Page {
    /// A fenced block of code or text.
    struct Block {
        let language: String
        let heading: String
        let line: Int
        var text: String
    }

    let name: String
    let blocks: [Block]

    /// The page at a path from the root of the repository.
    init(_ path: String) throws {
        try self.init(name: path, lines: Repository.lines(of: path))
    }

    /// The article of a name.
    init(article: String) throws {
        try self.init("\(Repository.catalog)/\(article).md")
    }

    init(name: String, lines: [String]) {
        self.name = name
        var blocks: [Block] = []
        var heading = ""
        var isInBlock = false
        for (index, line) in lines.enumerated() {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if trimmed.hasPrefix("```") && !trimmed.hasPrefix("````") && !trimmed.dropFirst(3).contains("`") {
                isInBlock.toggle()
                guard isInBlock else { continue }
                blocks.append(
                    Block(language: String(trimmed.dropFirst(3)), heading: heading, line: index + 1, text: "")
                )
            } else if isInBlock {
                blocks[blocks.count - 1].text += line + "\n"
            } else if line.hasPrefix("#") {
                heading = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces)
            }
        }
        self.blocks = blocks
    }

    /// The blocks of a language, below a heading if one is given; without the newline at the end.
    func texts(_ language: String, below heading: String? = nil) -> [String] {
        blocks.filter { $0.language == language && (heading == nil || $0.heading == heading) }
            .map { String($0.text.dropLast()) }
    }

    /// The first block of a language below a heading.
    func text(_ language: String = "text", below heading: String) throws -> String {
        try #require(texts(language, below: heading).first, "\(name) has no \(language) below '\(heading)'")
    }
}

/// The files of the repository, found from the path of this file.
enum Repository {
    static let catalog = "Sources/ScopedInjection/Documentation.docc"

    private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

    static func lines(of path: String) throws -> [String] {
        try String(contentsOf: root.appending(path: path), encoding: .utf8).components(separatedBy: "\n")
    }

    static func hasFile(at path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    /// The paths of the files below a folder whose names end with a suffix.
    static func files(below folder: String, suffix: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path)?.allObjects ?? []
        return names.compactMap { $0 as? String }
            .filter { $0.hasSuffix(suffix) && !$0.hasPrefix(".build") && !$0.contains("/.build") }
            .map { "\(folder)/\($0)" }.sorted()
    }
}
