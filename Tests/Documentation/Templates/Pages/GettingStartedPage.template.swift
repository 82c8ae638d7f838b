import ScopedInjection
import Testing

nonisolated private final class Cart: Sendable {}

nonisolated private final class Checkout: Sendable {
    let cart: Cart
    init(cart: Cart) { self.cart = cart }
}

// ⟨GettingStarted.md: static var cart⟩ nonisolated private

nonisolated extension ScopeValues {
    fileprivate static var basket: ScopeValue<Cart> { .required() }
}

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

    @Test("A cart belongs to the scope that asks, or to the one that provides it")
    func carts() {
        let app = EnvironmentScope.empty("app", parent: nil)
        // ⟨GettingStarted.md: let first⟩

        let item = EnvironmentScope.empty("item", parent: first)
        #expect(item.cart !== first.cart)

        let shopper = EnvironmentScope("shopper", parent: app) { $0.provide(\.basket) { _ in Cart() } }
        let step = EnvironmentScope.empty("step", parent: shopper)
        #expect(step.basket === shopper.basket)
    }
}
