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
}

@Suite(.shop)
struct OrderTests {
    @Injected(\.checkout) var checkout
    @Injected(\.mailer) var mailer

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

/// The program's own shop, but for one input; what is built from that is the test's.
@Suite(.scope(parent: makeShop()))
struct OpenShopTests {
    @Injected(\.catalog) var catalog

    @Test(.scope { $0.settings.database = "test.db" })
    func opensAnotherFile() {
        #expect((catalog.database as? LiveDatabase)?.path == "test.db")
    }
}

/// Both see the same shelf, which is filled once.
@Suite(SharedShelf(), .scope(parent: .current))
struct ShelfTests {
    @Test(arguments: 1...2) func sellsFromOneShelf(_ number: Int) {
        #expect(EnvironmentScope.current.database.price(of: "tea") == 3)
    }
}

/// Makes once what is expensive, in a scope around the tests of a suite, which is closed after the last.
struct SharedShelf: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing run: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await EnvironmentScope.withScope("suite") {
            $0.database = Shelf(["tea": 3])
        } operation: { _ in
            try await run()
        }
    }
}

/// What a request does, and what outlives it.
@Suite struct RequestTests {
    @Test(.scope(request: { $0.user = User(name: "Ada") }) { $0.mailer = Outbox() })
    func aLetterThatIsWrittenLaterIsNobodys() async throws {
        let letters = EnvironmentScope.current.letters
        letters.confirm("tea", 3)
        let shop = try #require(EnvironmentScope.current.parent)
        shop { letters.confirm("milk", 1) }
        let outbox = try #require(EnvironmentScope.current.mailer as? Outbox)
        #expect(outbox.letters == ["Ada bought tea: 3 EUR", "Somebody bought milk: 1 EUR"])
    }
}

@Suite struct RatesTests {
    @Test(.scope { $0.rates.of = { _ in 2 } })
    func aTestSetsTheEndpointsThatItNeeds() async throws {
        #expect(try await EnvironmentScope.current.rates.of("GBP") == 2)
    }

    @Test func aPartIsChangedAndTheRestFollows() async throws {
        let shop = EnvironmentScope("shop", parent: nil, defaults: .allowed) {
            $0.modify(\.rates) { $0.of = { _ in 2 } }
            $0.settings.currency = "GBP"
        }
        #expect(try await shop.rates.of("EUR") == 2)
        #expect(shop.rates.known() == ["GBP"])
    }
}

@Suite struct LogoutTests {
    @Test(.scope { $0.user = User(name: "Ada") })
    func theBasketIsSavedAndNobodyHasOne() async throws {
        let scope = EnvironmentScope.current
        let basket = scope.basket
        await scope.logOut()
        #expect(await basket.isSaved)
        #expect(throws: ScopeError.self) { try scope.value(for: \.basket) }
    }
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
