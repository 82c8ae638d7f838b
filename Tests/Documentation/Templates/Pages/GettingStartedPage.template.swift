import ScopedInjection
import Testing

nonisolated private final class Cart: Sendable {}

nonisolated private final class Checkout: Sendable {
    let cart: Cart
    init(cart: Cart) { self.cart = cart }
}

// ⟨GettingStarted.md: static var cart⟩ nonisolated private

@Suite("Documentation: getting started")
struct GettingStartedPage {
    @Test("A request reads what is set in the application, a test what it sets itself")
    func scopes() throws {
        // In place of the global scope, which other tests watch.
        let global = EnvironmentScope.empty("global", parent: nil)
        try global { try program() }
    }

    private func program() throws {
        // ⟨GettingStarted.md: let app⟩

        // ⟨GettingStarted.md: try app.validate⟩

        // ⟨GettingStarted.md: app[ScopeValues.flag("beta")]⟩
    }

    @Test("A cart belongs to the request, and to the scopes within")
    func carts() {
        let app = EnvironmentScope.empty("app", parent: nil)
        // ⟨GettingStarted.md: let first⟩

        let item = EnvironmentScope.empty("item", parent: first)
        #expect(item.cart === first.cart)
    }
}
