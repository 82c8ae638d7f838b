import ScopedInjection
import Testing

// As in swift-aws-lambda-runtime.
private struct Context: Sendable { let requestID: String }
private struct LambdaRuntime<Event: Sendable>: Sendable {
    let handle: @Sendable (Event, Context) async throws -> String
    init(_ handle: @escaping @Sendable (Event, Context) async throws -> String) { self.handle = handle }
}

private struct Event: Sendable {}
private struct EventHandler: Sendable {
    @Injected(\.requestID) private var id
    func answer(_ event: Event) async throws -> String { "answers \(id ?? "nobody")" }
}

@Suite("Documentation: frameworks")
struct FrameworksPage {
    @Test("An event is a request")
    func lambda() async throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let handler = EventHandler()
        // ⟨Frameworks.md: let runtime⟩
        #expect(try await runtime.handle(Event(), Context(requestID: "7")) == "answers 7")
    }
}
