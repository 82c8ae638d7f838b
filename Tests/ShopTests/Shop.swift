import Foundation
import ScopedInjection

// A shop, as small as a sample can be: eleven values, four of which reach the world.

extension ScopeValues {
    // What reaches the world. Each test sets them.
    static let clock = ScopeValue<any Clock<Duration>>(ContinuousClock())
    static let database = ScopeValue<any Database> { scope in try LiveDatabase(at: scope.settings.database) }
    static let payments = ScopeValue<any Payments> { scope in LivePayments(in: scope.settings.currency) }
    static let mailer = ScopeValue<any Mailer> { scope in LiveMailer(from: scope.settings.sender) }

    // What is built from other values, and harms no test by itself.
    static let catalog = ScopeValue(isSafeInTests: true) { scope in Catalog(database: scope.database) }
    static let stock = ScopeValue(isSafeInTests: true) { scope in Stock(database: scope.database, clock: scope.clock) }
    static let letters = ScopeValue(isSafeInTests: true) { _ in Letters() }
    static let checkout = ScopeValue(isSafeInTests: true) { scope in
        Checkout(catalog: scope.catalog, stock: scope.stock, letters: scope.letters)
    }

    // What belongs to a request, and what everybody may use.
    static let user = ScopeValue<User?>()
    static let token = ScopeValue<Token?>()
    static let settings = ScopeValue(Settings(), isSafeInTests: true)
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
    @Injected(\.token) var token

    func buy(_ item: String) async throws {
        guard let token else { throw NotSignedIn() }
        let price = try catalog.price(of: item)
        try await stock.take(item)
        try payments.charge(price, with: token)
        letters.confirm(item, price)
    }
}

struct UnknownItem: Error { let name: String }
struct NotSignedIn: Error {}

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
