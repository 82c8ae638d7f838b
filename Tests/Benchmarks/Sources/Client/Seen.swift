internal import BlackHole
public import ScopedInjection

/// What a program asks about values, `count` times one after the other.
public enum Seen {
    /// Asks where a set value comes from.
    @inline(never)
    public static func explainPort(in scope: EnvironmentScope, _ count: Int) {
        for _ in 0..<count { blackHole(scope.explain(\.port).inputs.count) }
    }

    /// Asks where a built value comes from.
    @inline(never)
    public static func explainDerived(in scope: EnvironmentScope, _ count: Int) {
        for _ in 0..<count { blackHole(scope.explain(\.derived).inputs.count) }
    }
}
