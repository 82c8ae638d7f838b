import ScopedInjection
import Testing

extension ScopeValues { fileprivate static let limit = ScopeValue(2) }

private struct Adder {
    @Injected(\.limit) var limit

    func sum(_ numbers: [Int]) -> Int {
        let limit = limit  // one read, not one for each number
        return numbers.reduce(0) { $0 + min($1, limit) }
    }
}

@Suite("Documentation: cost")
struct CostPage {
    @Test("A value is read once before a loop")
    func loop() {
        let scope = EnvironmentScope.empty("app", parent: nil)
        #expect(scope { Adder().sum([1, 2, 3]) } == 5)
    }
}
