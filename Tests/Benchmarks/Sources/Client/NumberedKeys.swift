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

    private static func set<Key: ScopeKey<Int>>(_ key: Key.Type, in scope: EnvironmentScope) { scope[key] = 1 }
}
