import ScopedInjection
import ScopedInjectionTesting
import Testing

@Suite("Documentation: getting started")
struct GettingStartedPage {
    @Test("A request reads what is set in the application")
    func scopes() throws {
        let printed = Box<[String]>([])
        func print(_ line: String) { printed.update { $0.append(line) } }

        // ⟨GettingStarted.md: let app⟩

        // ⟨GettingStarted.md: try app.validate⟩
        #expect(printed.value == ["Ada reads live.db"])
    }

    // ⟨GettingStarted.md: @Test(.scope { $0.database⟩
}
