import Foundation
import ScopedInjection

// A shop, as small as a sample can be: eleven values, four of which reach the world.

extension ScopeValues {
    // What reaches the world. Each test sets them.
    static var clock: ScopeValue<any Clock<Duration>> { .value(ContinuousClock()) }
    static var database: ScopeValue<any Database> { .lazy { try LiveDatabase(at: $0.settings.database) } }
    static var payments: ScopeValue<any Payments> { .lazy { LivePayments(in: try $0.settings.currency) } }
    static var mailer: ScopeValue<any Mailer> { .lazy { LiveMailer(from: try $0.settings.sender) } }

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
    static var settings: ScopeValue<Settings> { .value(Settings(), isSafeInTests: true) }
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

// MARK: The world

/// Would open a file and talk to servers; here it only says what it is.
struct LiveDatabase: Database {
    init(at path: String) throws { guard !path.isEmpty else { throw CocoaError(.fileNoSuchFile) } }
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
