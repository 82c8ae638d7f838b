import ScopedInjection
import ScopedInjectionTesting
import Testing

nonisolated private final class Cart: Sendable {}

nonisolated private final class Checkout: Sendable {
    let cart: Cart
    init(cart: Cart) { self.cart = cart }
}

// ⟨GettingStarted.md: static var cart⟩ nonisolated private

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

    // ⟨GettingStarted.md: @Test(.scope()) func cartsAreApart⟩

    // ⟨GettingStarted.md: @Test(.scope { $0[⟩
}
