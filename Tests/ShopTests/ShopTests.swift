import ScopedInjection
import ScopedInjectionTesting
import ScopedInjectionValues
import Synchronization
import Testing

extension Trait where Self == ScopeTrait {
    /// The shop, with nothing of the world: four values, and all that is built from them.
    static var shop: Self {
        .scope {
            $0.clock = TestClock()
            $0.database = Shelf(["tea": 3, "milk": 1])
            $0.payments = Till()
            $0.mailer = Outbox()
        }
    }
}

@Suite(.shop)
struct CheckoutTests {
    @Injected(\.checkout) var checkout
    @Injected(\.mailer) var mailer

    @Test(.scope { $0.token = Token(text: "secret") })
    func confirmsWhatWasBought() async throws {
        try await checkout.buy("tea")
        #expect((mailer as? Outbox)?.letters == ["Somebody bought tea: 3 EUR"])
    }

    @Test(
        .scope {
            $0.token = Token(text: "secret")
            $0.user = User(name: "Ada")
            $0.settings.currency = "GBP"
        }
    )
    func namesTheCustomer() async throws {
        try await checkout.buy("milk")
        #expect((mailer as? Outbox)?.letters == ["Ada bought milk: 1 GBP"])
    }

    @Test(.scope(strictness: .off)) func sellsNothingToNobody() async {
        let error = await #expect(throws: ScopeError.self) { try await checkout.buy("tea") }
        #expect(error?.code == .missingValue)
    }

    @Test(.scope { $0.token = Token(text: "secret") }, arguments: ["coffee", "bread"])
    func sellsOnlyWhatItHas(_ item: String) async {
        await #expect(throws: UnknownItem.self) { try await checkout.buy(item) }
    }

    @Test(.scope { $0.token = Token(text: "secret") })
    func waitsForTheNextDelivery() async throws {
        let clock = TestClock()
        let shelf = Shelf(["tea": 3], items: 0)
        EnvironmentScope.current.clock = clock
        EnvironmentScope.current.database = shelf

        async let bought: Void = checkout.buy("tea")
        await clock.untilSleeping()
        shelf.deliver()
        await clock.advance(by: .seconds(60))
        try await bought
        #expect((mailer as? Outbox)?.letters.count == 1)
    }

    @Test(.scope { try $0.validate(\.checkout, \.payments, \.mailer) })
    func startsWithAllThatItNeeds() { #expect((mailer as? Outbox)?.letters == []) }

    @Test(.scope { $0.token = Token(text: "stolen") })
    func sendsNothingThatWasNotPaid() async {
        await #expect(throws: Refused.self) { try await checkout.buy("tea") }
        #expect((mailer as? Outbox)?.letters == [])
    }
}

/// Only the catalog is read here, and only what it is built from is needed.
@Suite(.scope { $0.database = Shelf(["tea": 3]) })
struct CatalogTests {
    @Injected(\.catalog) var catalog

    @Test func knowsThePrice() throws { #expect(try catalog.price(of: "tea") == 3) }
}

// MARK: The world of the tests

final class Shelf: Database {
    private let prices: [String: Int]
    private let items: Mutex<Int>

    init(_ prices: [String: Int], items: Int = 10) {
        self.prices = prices
        self.items = Mutex(items)
    }

    func deliver() { items.withLock { $0 += 1 } }
    func price(of item: String) -> Int? { prices[item] }
    func take(_ item: String) -> Bool {
        items.withLock { items in
            guard items > 0 else { return false }
            items -= 1
            return true
        }
    }
}

struct Refused: Error {}

struct Till: Payments {
    func charge(_ amount: Int, with token: Token) throws { if token.text == "stolen" { throw Refused() } }
}

final class Outbox: Mailer {
    private let sent = Mutex<[String]>([])
    var letters: [String] { sent.withLock { $0 } }
    func send(_ letter: String) { sent.withLock { $0.append(letter) } }
}
