import ScopedInjection
import ScopedInjectionTesting
import ScopedInjectionValues
import Services
import Synchronization
import Testing
import Values

@Suite(.scope { $0.ledger = MemoryLedger() })
struct CheckoutTests {
    private var entries: [String] { (EnvironmentScope.current.ledger as? MemoryLedger)?.entries ?? [] }

    @Test(.scope { $0.customer = Customer(name: "Ada") })
    func aServiceReadsWhatTheTestSets() throws {
        try Checkout().sell("tea", net: 100)
        EnvironmentScope.current.taxPercent = 10
        try Checkout().sell("tea", net: 100)
        #expect(entries == ["tea to Ada for 120", "tea to Ada for 110"])
    }

    @Test(
        .scope {
            $0.customer = Customer(name: "Ada")
            $0[ScopeValues.flag("sale")] = true
        }
    )
    func aValueOfTheServicesIsBuiltFromTheFamilyOfAnotherModule() throws {
        try Checkout().sell("tea", net: 100)
        #expect(entries == ["tea to Ada for 60"])
    }

    @Test func eachIDOfAFamilyIsAValueOfItsOwn() throws {
        EnvironmentScope.current[ScopeValues.flag("sale")] = true
        #expect(throws: NobodyBuys.self) { try Checkout().sell("tea", net: 100) }
        EnvironmentScope.current[ScopeValues.flag("anonymous sales")] = true
        try Checkout().sell("tea", net: 100)
        #expect(entries == ["tea to somebody for 60"])
    }

    @Test func aScopeBelowSharesWhatIsBuiltUntilItOverridesAnInput() {
        let shop = EnvironmentScope.current
        let branch = EnvironmentScope.empty("branch", parent: shop)
        #expect(branch.prices === shop.prices)
        branch[ScopeValues.flag("sale")] = true
        #expect(branch.prices !== shop.prices)
        branch.removeValue(for: { $0.flag("sale") })
        #expect(branch.prices === shop.prices)
    }

    @Test func aTextCallsAValueByItsName() throws {
        let empty = EnvironmentScope.empty("empty", parent: nil)
        let error = #expect(throws: ScopeError.self) { try empty.validate(\.prices, \.ledger) }
        let text = try #require(error?.description)
        #expect(text.contains("No value for ledger (Ledger)"))
        #expect(text.contains("Declared at: Values/ScopeValues+Shop.swift:"))
        #expect(empty.explain(\.prices).name == "prices")
        #expect(empty.graph.nodes.map(\.name).sorted() == ["flag(sale)", "prices", "taxPercent"])
    }

    @Test(.scope { $0.clock = TestClock() })
    func aValueOfTheProgramCountsBesideOneThatIsReadyAndHasItsName() throws {
        let scope = EnvironmentScope.current
        let (clock, now) = (Injected(\.clock), Injected { view in view.now })
        #expect(clock() is TestClock && now() == 1)
        #expect(scope.explain(\.clock).description.contains("set in"))
        scope.provide(\.now) { try $0.taxPercent }
        #expect(try scope.value(for: \.now) == 20)
        #expect(EnvironmentScope.empty("empty", parent: nil).clock is SuspendingClock)
    }

    @Test func aServiceWithoutWhatItNeedsThrowsAndDoesNotEndTheProgram() {
        let empty = EnvironmentScope("empty", parent: nil) { $0.customer = Customer(name: "Ada") }
        #expect(throws: ScopeError.self) { try empty { try Checkout().sell("tea", net: 100) } }
    }
}

private final class MemoryLedger: Ledger {
    private let added = Mutex<[String]>([])

    var entries: [String] { added.withLock { $0 } }

    func add(_ entry: String) { added.withLock { $0.append(entry) } }
}
