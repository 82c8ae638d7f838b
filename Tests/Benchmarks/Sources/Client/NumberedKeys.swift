public import ScopedInjection

private protocol Digit {}
private enum D0: Digit {}
private enum D1: Digit {}
private enum D2: Digit {}
private enum D3: Digit {}
private enum D4: Digit {}
private enum D5: Digit {}
private enum D6: Digit {}
private enum D7: Digit {}
private enum D8: Digit {}
private enum D9: Digit {}

private enum NumberedKey<Hundreds: Digit, Tens: Digit, Ones: Digit>: ScopeKey {
    static var defaultValue: Int { 0 }
}

/// A thousand keys, made by the ten digits in three places.
public enum NumberedKeys {
    private static let all: [any ScopeKey<Int>.Type] = {
        let digits: [any Digit.Type] = [
            D0.self, D1.self, D2.self, D3.self, D4.self, D5.self, D6.self, D7.self, D8.self, D9.self,
        ]
        return digits.flatMap { hundreds in
            digits.flatMap { tens in digits.map { ones in key(hundreds, tens, ones) } }
        }
    }()

    private static func key<A: Digit, B: Digit, C: Digit>(
        _: A.Type,
        _: B.Type,
        _: C.Type
    ) -> any ScopeKey<Int>.Type {
        NumberedKey<A, B, C>.self
    }

    /// Sets the first `count` of the keys in a scope.
    public static func set(_ count: Int, in scope: EnvironmentScope) {
        for key in all.prefix(count) { set(key, in: scope) }
    }

    /// Provides the first `count` of the keys with values of which each is built from the one before, or from the
    /// `width` before.
    public static func provideRow(_ count: Int, width: Int = 1, in scope: EnvironmentScope) {
        for (index, key) in all.prefix(count).enumerated() {
            provide(key, from: all[max(0, index - width)..<index], in: scope)
        }
    }

    /// Reads the last of the first `count` keys, so that all that it is built from is built.
    public static func readLast(of count: Int, in scope: EnvironmentScope) -> Int {
        let key = all[count - 1]
        return read(key, in: scope)
    }

    /// Asks where the last of the first `count` keys comes from.
    public static func explainLast(of count: Int, in scope: EnvironmentScope) -> Explanation {
        let key = all[count - 1]
        return explain(key, in: scope)
    }

    private static func provide<Key: ScopeKey<Int>>(
        _ key: Key.Type,
        from inputs: ArraySlice<any ScopeKey<Int>.Type>,
        in scope: EnvironmentScope
    ) {
        scope.provide(key) { scope in
            var sum = 1
            for input in inputs { sum &+= read(input, in: scope) }
            return sum
        }
    }

    private static func read<Key: ScopeKey<Int>>(_ key: Key.Type, in scope: EnvironmentScope) -> Int { scope[key] }

    private static func explain<Key: ScopeKey<Int>>(_ key: Key.Type, in scope: EnvironmentScope) -> Explanation {
        scope.explain(key)
    }

    private static func set<Key: ScopeKey<Int>>(_ key: Key.Type, in scope: EnvironmentScope) { scope[key] = 1 }
}
