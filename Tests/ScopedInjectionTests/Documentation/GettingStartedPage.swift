import ScopedInjection
import Testing

nonisolated private final class Cart: Sendable {}

nonisolated private final class Checkout: Sendable {
    let cart: Cart
    init(cart: Cart) { self.cart = cart }
}

nonisolated extension ScopeValues {
    fileprivate static var cart: ScopeValue<Cart> { .lazy(.scoped) { _ in Cart() } }
    fileprivate static var checkout: ScopeValue<Checkout> { .lazy { Checkout(cart: try $0.cart) } }
}

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
        let app = EnvironmentScope("app") { $0.databasePath = "live.db" }
        let request = EnvironmentScope("request", parent: app) { $0.user = User(name: "Ada") }
        let answer = try request { try Handler().run() }
        #expect(answer == "Ada reads live.db")

        let test = EnvironmentScope("test", parent: nil) { $0.database = InMemory() }
        #expect(try test { try Handler().run() } == "nobody reads :memory:")

        try app.validate(\.database, \.port)

        app[ScopeValues.flag("beta")] = true
        #expect(request[ScopeValues.flag("beta")])
        #expect(!request[ScopeValues.flag("dark")])
    }

    @Test("A cart belongs to the scope that asks, or to the one that provides it")
    func carts() {
        let app = EnvironmentScope.empty("app", parent: nil)
        let first = EnvironmentScope.empty("first", parent: app)
        let second = EnvironmentScope.empty("second", parent: app)
        #expect(first.cart !== second.cart)
        // What is built from the cart belongs to the request, too.
        #expect(first.checkout.cart === first.cart)

        let item = EnvironmentScope.empty("item", parent: first)
        #expect(item.cart !== first.cart)

        let shopper = EnvironmentScope("shopper", parent: app) { $0.provide(\.basket) { _ in Cart() } }
        let step = EnvironmentScope.empty("step", parent: shopper)
        #expect(step.basket === shopper.basket)
    }
}
