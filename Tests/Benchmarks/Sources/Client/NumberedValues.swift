public import ScopedInjection

/// A thousand integers.
public enum NumberedValues {
    private static let all = (0..<1_000).map { numbered($0) }
    private static func numbered(_ number: Int) -> ScopeValue<Int> { .value(0, id: number) }

    /// Sets the first `count` of them in a scope.
    public static func set(_ count: Int, in scope: EnvironmentScope) {
        for value in all.prefix(count) { scope[value] = 1 }
    }

    /// Provides the first `count` of them with builders that each read the value before, or the `width` before.
    public static func provideRow(_ count: Int, width: Int = 1, in scope: EnvironmentScope) {
        for (index, value) in all.prefix(count).enumerated() {
            let inputs = all[max(0, index - width)..<index]
            scope.provide({ _ in value }) { reader in
                var sum = 1
                for input in inputs { sum &+= try reader[input] }
                return sum
            }
        }
    }

    /// Reads the last of the first `count`, so that all that it is built from is built.
    public static func readLast(of count: Int, in scope: EnvironmentScope) -> Int { scope[all[count - 1]] }

    /// Asks where the last of the first `count` comes from.
    public static func explainLast(of count: Int, in scope: EnvironmentScope) -> ScopeExplanation {
        scope.explain({ _ in all[count - 1] })
    }
}
