public import ScopedInjection

// The values that the modules of a shop share, one line each.
extension ScopeValues {
    /// What is added to each price.
    public static var taxPercent: ScopeValue<Int> { .value(20, isSafeInTests: true) }
    /// Who is served; nil in a shop where nobody is.
    public static var customer: ScopeValue<Customer?> { .optional() }
    /// Where sales are written down.
    public static var ledger: ScopeValue<any Ledger> { .required() }

    /// The shop's own, beside that of `ScopedInjectionValues`.
    public static var clock: ScopeValue<any Clock<Duration>> { .value(SuspendingClock(), isSafeInTests: true) }
    /// The day on which the shop was opened, beside the `now` of `ScopedInjectionValues`, which has another type.
    public static var now: ScopeValue<Int> { .value(1, isSafeInTests: true) }

    /// Whether a part of the shop that is being tried out is on.
    public static func flag(_ name: String) -> ScopeValue<Bool> { .value(false, isSafeInTests: true, id: name) }
}

/// Who buys.
public struct Customer: Sendable {
    /// What the customer is called.
    public let name: String

    /// Creates a customer.
    public init(name: String) { self.name = name }
}

/// Keeps what was sold.
public protocol Ledger: Sendable {
    /// Adds a line.
    func add(_ entry: String)
}
