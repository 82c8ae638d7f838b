public import ScopedInjection
import Values

extension ScopeValues {
    /// Built from values of another module, and so as harmless in tests as they are.
    public static var prices: ScopeValue<Prices> {
        .lazy(isSafeInTests: true) { try Prices(taxPercent: $0.taxPercent, isSale: $0[ScopeValues.flag("sale")]) }
    }
}

/// What an article costs.
public final class Prices: Sendable {
    private let taxPercent: Int
    private let isSale: Bool

    init(taxPercent: Int, isSale: Bool) {
        self.taxPercent = taxPercent
        self.isSale = isSale
    }

    /// The price to pay: half of it in a sale, the tax added.
    public func gross(of net: Int) -> Int { (isSale ? net / 2 : net) * (100 + taxPercent) / 100 }
}

/// Sells to the customer of the current scope.
public struct Checkout: Sendable {
    @Injected(\.prices) private var prices
    @Injected(\.customer?.name) private var customerName
    @Injected({ $0.flag("anonymous sales") }) private var sellsToAnybody
    private let ledger = Injected(\.ledger)

    /// Creates a checkout, for customers of any scope.
    public init() {}

    /// Sells an article, and writes that down.
    public func sell(_ article: String, net: Int) throws {
        guard customerName != nil || sellsToAnybody else { throw NobodyBuys() }
        try ledger.value().add("\(article) to \(customerName ?? "somebody") for \(prices.gross(of: net))")
    }
}

/// Says that there is no customer to sell to.
public struct NobodyBuys: Error {}
