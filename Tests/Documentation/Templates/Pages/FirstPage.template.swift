import ScopedInjection
import ScopedInjectionTesting
import Testing

nonisolated private struct Shop: Sendable { let host: String }

// ⟨ScopedInjection.md: static var shop⟩ nonisolated private

nonisolated private func makeApp() -> EnvironmentScope {
    EnvironmentScope("app", parent: nil) { $0.shopHost = "live" }
}

@Suite("Documentation: the first page")
struct FirstPage {
    @Test("A request sees the application's shop and its own customer")
    func request() async {
        // ⟨ScopedInjection.md: let app⟩
        #expect(answer == "Ada buys at live")
    }

    // ⟨ScopedInjection.md: func buysElsewhere⟩
}
