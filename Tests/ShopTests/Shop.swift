import Foundation
import ScopedInjection

// A shop, as small as a sample can be: thirteen values, five of which reach the world.

extension ScopeValues {
    // What reaches the world. Each test sets them.
    static var clock: ScopeValue<any Clock<Duration>> { .value(ContinuousClock()) }
    static var database: ScopeValue<any Database> {
        .lazy(.once(in: .application)) { try LiveDatabase(at: $0.settings.database) }
    }
    static var payments: ScopeValue<any Payments> { .lazy { LivePayments(in: try $0.settings.currency) } }
    static var mailer: ScopeValue<any Mailer> { .lazy { LiveMailer(from: try $0.settings.sender) } }

    // A client of closures that reaches it, and what tests are given of it.
    static var rates: ScopeValue<Rates> {
        .lazy(inTests: Rates()) { .live(base: try $0.settings.currency) }
    }

    // What is built from other values: a test that has set those has it, too.
    static var catalog: ScopeValue<Catalog> { .lazy { Catalog(database: try $0.database) } }
    static var stock: ScopeValue<Stock> {
        .lazy { try Stock(database: $0.database, clock: $0.clock) }
    }
    static var letters: ScopeValue<Letters> { .lazy(isSafeInTests: true) { _ in Letters() } }
    static var checkout: ScopeValue<Checkout> {
        .lazy { try Checkout(catalog: $0.catalog, stock: $0.stock, letters: $0.letters) }
    }

    // What belongs to a request, and what everybody may use.
    static var user: ScopeValue<User?> { .optional() }
    static var token: ScopeValue<Token> { .required() }
    static var basket: ScopeValue<Basket> {
        .lazy {
            guard let user = try $0.user else { throw NobodyIsLoggedIn() }
            let basket = Basket(of: user)
            $0.onClose { await basket.save() }
            return basket
        }
    }
    static var settings: ScopeValue<Settings> { .value(Settings(), isSafeInTests: true) }
}

/// The shop as it is when it is open.
func makeShop() -> EnvironmentScope {
    EnvironmentScope("shop", role: .application, parent: nil) { $0.settings.database = "live.db" }
}

extension EnvironmentScope {
    /// Logs the user out; when it returns, the basket is saved.
    func logOut() async {
        self.user = nil
        await discardBuiltValues(\.basket)
    }
}

struct User: Sendable { var name: String }
struct Token: Sendable { var text: String }
struct Settings: Sendable {
    var database = "shop.db"
    var currency = "EUR"
    var sender = "shop@example.com"
}

protocol Database: Sendable {
    func price(of item: String) -> Int?
    func take(_ item: String) -> Bool
}

protocol Payments: Sendable {
    func charge(_ amount: Int, with token: Token) throws
}

protocol Mailer: Sendable {
    func send(_ letter: String)
}

// MARK: Services

struct Catalog: Sendable {
    let database: any Database

    func price(of item: String) throws -> Int {
        guard let price = database.price(of: item) else { throw UnknownItem(name: item) }
        return price
    }
}

struct Stock: Sendable {
    let database: any Database
    let clock: any Clock<Duration>

    /// Takes an item, and waits for one where there is none.
    func take(_ item: String) async throws {
        while !database.take(item) { try await clock.sleep(for: .seconds(60)) }
    }
}

struct Letters: Sendable {
    @Injected(\.mailer) var mailer
    @Injected(\.user?.name) var name
    @Injected(\.settings.currency) var currency

    func confirm(_ item: String, _ price: Int) {
        mailer.send("\(name ?? "Somebody") bought \(item): \(price) \(currency)")
    }
}

struct Checkout: Sendable {
    let catalog: Catalog
    let stock: Stock
    let letters: Letters
    @Injected(\.payments) var payments
    let token = Injected(\.token)

    func buy(_ item: String) async throws {
        let token = try token.value()
        let price = try catalog.price(of: item)
        try await stock.take(item)
        try payments.charge(price, with: token)
        letters.confirm(item, price)
    }
}

struct UnknownItem: Error { let name: String }

/// What money is worth.
struct Rates: Sendable {
    var of: @Sendable (_ currency: String) async throws -> Double = unimplemented("Rates.of")
    var known: @Sendable () -> [String] = unimplemented("Rates.known", placeholder: [])
}

extension Rates {
    static func live(base: String) -> Rates {
        Rates(of: { $0 == base ? 1 : 1.25 }, known: { [base] })
    }
}

/// What a customer has chosen.
actor Basket {
    let user: User
    private(set) var isSaved = false
    init(of user: User) { self.user = user }
    func save() { isSaved = true }
}

struct NobodyIsLoggedIn: Error {}

// MARK: The world

/// Would open a file and talk to servers; here it only says what it is.
struct LiveDatabase: Database {
    let path: String
    init(at path: String) throws {
        guard !path.isEmpty else { throw CocoaError(.fileNoSuchFile) }
        self.path = path
    }
    func price(of item: String) -> Int? { nil }
    func take(_ item: String) -> Bool { true }
}

struct LivePayments: Payments {
    let currency: String
    init(in currency: String) { self.currency = currency }
    func charge(_ amount: Int, with token: Token) throws {}
}

struct LiveMailer: Mailer {
    let sender: String
    init(from sender: String) { self.sender = sender }
    func send(_ letter: String) {}
}
