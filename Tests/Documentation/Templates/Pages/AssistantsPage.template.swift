import ScopedInjection
import Testing

nonisolated private struct Feed: Sendable { let url: String }

// ⟨Assistants.md: static var feed⟩ private

@Suite("Documentation: rules for coding assistants")
struct AssistantsPage {
    @Test("The whole use")
    func use() throws {
        let app = EnvironmentScope("app", parent: nil) { $0.reader = "Ada" }
        let service = FeedService()
        #expect(try app { try service.run() } == "Ada reads feed")
    }
}
