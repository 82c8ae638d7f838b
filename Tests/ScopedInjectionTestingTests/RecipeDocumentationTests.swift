import Foundation
import Testing

@Suite("The recipes of the documentation")
struct RecipeDocumentationTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    private static let documentation = tests.appending(
        path: "../../Sources/ScopedInjectionTesting/Documentation.docc"
    )

    @Test("Each code block is part of a test that runs", arguments: ["TestingWithScopes.md", "ScopedInjectionTesting.md"])
    func blocks(_ page: String) throws {
        let text = try String(contentsOf: Self.documentation.appending(path: page), encoding: .utf8)
        let sources = try [
            "RecipeTests.swift", "XCTestTests.swift", "ControlledTests.swift", "AllowingTests.swift",
            "../ShopTests/Shop.swift", "../ShopTests/ShopTests.swift",
        ].map {
            try String(contentsOf: Self.tests.appending(path: $0), encoding: .utf8)
        }
        let blocks = text.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(!blocks.isEmpty)
        for block in blocks { #expect(sources.contains { $0.contains(block) }, "not in a test:\n\(block)") }
    }
}
