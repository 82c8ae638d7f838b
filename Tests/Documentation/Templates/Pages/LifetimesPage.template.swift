import ScopedInjection
import ScopedInjectionTesting
import Testing

nonisolated private final class Cart: Sendable {}

nonisolated private final class Checkout: Sendable {
    let cart: Cart
    init(cart: Cart) { self.cart = cart }
}

// ⟨Lifetimes.md: static var cart⟩ nonisolated private

nonisolated private final class Scratch: Sendable {
    let drawn = Box<[Int]>([])
    func draw(_ page: Int) { drawn.update { $0.append(page) } }
}

extension ScopeValues {
    fileprivate static var scratch: ScopeValue<Scratch> { .lazy(.transient) { _ in Scratch() } }
}

@Suite("Documentation: lifetimes")
struct LifetimesPage {
    let app = EnvironmentScope.empty("app", parent: nil)
    let request: EnvironmentScope

    init() { request = EnvironmentScope("request", parent: app) { $0.requestID = "7" } }

    @Test(.scope()) func cartsAreApart() {
        let first = EnvironmentScope.empty("first", role: .request)
        let second = EnvironmentScope.empty("second", role: .request)
        #expect(first.cart !== second.cart)
        // What is built from the cart belongs to the request, too.
        #expect(first.checkout.cart === first.cart)
    }

    @Test("What a child makes and does not keep ends with it")
    func moments() async {
        let (made, ended) = (Box(0), Box<[Int]>([]))
        app.provide(\.scratch) { reader in
            let scratch = Scratch()
            made.update { $0 += 1 }
            reader.onClose { ended.update { $0 += scratch.drawn.value } }
            return scratch
        }
        // ⟨Lifetimes.md: for page⟩
        #expect(made.value == 3)
        #expect(ended.value == [1, 2, 3])
    }
}
