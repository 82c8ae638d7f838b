import Foundation
import Testing

/// A page of the documentation, read from the repository.
struct Page {
    /// A fenced block of code or text.
    struct Block {
        let language: String
        let heading: String
        let line: Int
        var text = ""
    }

    let name: String
    private(set) var blocks: [Block] = []

    /// The page at a path from the root of the repository.
    init(_ path: String) throws { try self.init(name: path, lines: ProjectFiles.lines(of: path)) }

    /// The article of a name.
    init(article: String) throws { try self.init("\(ProjectFiles.catalog)/\(article).md") }

    init(name: String, lines: [String]) {
        self.name = name
        var heading = ""
        var isInBlock = false
        for (index, line) in lines.enumerated() {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if trimmed.hasPrefix("```") && !trimmed.hasPrefix("````") && !trimmed.dropFirst(3).contains("`") {
                isInBlock.toggle()
                guard isInBlock else { continue }
                blocks.append(Block(language: String(trimmed.dropFirst(3)), heading: heading, line: index + 1))
            } else if isInBlock {
                blocks[blocks.count - 1].text += line + "\n"
            } else if line.hasPrefix("#") {
                heading = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces)
            }
        }
    }

    /// The blocks of a language, without the newline at the end.
    func texts(_ language: String) -> [String] {
        blocks.filter { $0.language == language }.map { String($0.text.dropLast()) }
    }

    /// The first text below a heading.
    func text(below heading: String) throws -> String {
        let block = blocks.first { $0.language == "text" && $0.heading == heading }
        return try String(#require(block, "\(name) has no text below '\(heading)'").text.dropLast())
    }
}

/// The files of the repository, found from the path of this file.
enum ProjectFiles {
    static let catalog = "Sources/ScopedInjection/Documentation.docc"

    private static let root = URL(filePath: #filePath).appending(path: "../../../../..").standardizedFileURL

    static func lines(of path: String) throws -> [String] {
        try String(contentsOf: root.appending(path: path), encoding: .utf8).components(separatedBy: "\n")
    }

    static func hasFile(at path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    /// The paths of the files below a folder whose names end with a suffix.
    static func files(below folder: String, suffix: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path)?.allObjects ?? []
        return names.compactMap { $0 as? String }.filter { $0.hasSuffix(suffix) }.map { "\(folder)/\($0)" }.sorted()
    }
}
