internal import BlackHole
public import ScopedInjection

/// What happens to a scope that lives long, `count` times one after the other.
public enum Changes {
    /// Sets a value that is set already.
    @inline(never)
    public static func set(_ scope: EnvironmentScope, _ count: Int) {
        for number in 0..<count { scope.port = number }
    }

    /// Sets a value and removes it.
    @inline(never)
    public static func setAndRemove(_ scope: EnvironmentScope, _ count: Int) {
        for number in 0..<count {
            scope.port = number
            scope.removeValue(for: \.port)
        }
    }

    /// Sets a value and reads, further in, the value that is built from it.
    @inline(never)
    public static func setAndRebuild(_ scope: EnvironmentScope, readIn child: EnvironmentScope, _ count: Int) {
        for number in 0..<count {
            scope.port = number
            blackHole(child.derived.number)
        }
    }

    /// Reads, sets one value and rebuilds what depends on it.
    @inline(never)
    public static func readSetAndRebuild(_ scope: EnvironmentScope, readIn child: EnvironmentScope, _ count: Int) {
        for number in 0..<count {
            scope.port = number
            blackHole(child.port &+ child.service.number &+ child.derived.number)
        }
    }

    /// Gives all references in an instance the scope.
    @inline(never)
    public static func replace(in instance: Any, by scope: EnvironmentScope, _ options: ReplaceOptions, _ count: Int) {
        for _ in 0..<count { blackHole(scope.replace(in: instance, options: options)) }
    }
}
