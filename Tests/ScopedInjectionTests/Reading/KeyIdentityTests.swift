import Foundation
import ScopedInjection
import Testing

private class BaseKey: ScopeKey { static var defaultValue: Int { 1 } }
private final class DerivedKey: BaseKey {}
private enum Home { enum TokenKey: ScopeKey { typealias Value = Int } }
private enum Login { enum TokenKey: ScopeKey { typealias Value = Int } }
private enum Feature<T> { enum TokenKey: ScopeKey { typealias Value = Int } }
private protocol Store: Sendable {}
private protocol Sink: Sendable {}
private enum Outer { struct Inner: Sendable {} }
private enum FamilyKey<Value: Sendable>: ScopeKey {}

private enum Nested<Inner: ScopeKey>: ScopeKey { static var defaultValue: Int { -1 } }

@Suite("Keys: their identity, and their names in texts")
struct KeyIdentityTests {
    private let scope = EnvironmentScope.empty("scope", parent: nil)

    @Test("A class is one key however it is read, also through a variable", arguments: [false, true])
    func classes(isDerived: Bool) throws {
        let key: BaseKey.Type = isDerived ? DerivedKey.self : BaseKey.self
        #expect(try scope[key] == scope.value(for: key))
        scope[key] = 5
        #expect(try [scope[key], scope.value(for: key), scope.localValue(for: key)] == [5, 5, 5])
        scope[BaseKey.self] = 7
        #expect(try scope[key] == scope.value(for: key))
        scope.removeValue(for: key)
        #expect(try scope[key] == scope.value(for: key))
    }

    @Test("Keys of one name that are nested in different types are told apart in texts")
    func nested() throws {
        func text<Key: ScopeKey>(_ key: Key.Type) throws -> String {
            try #require(throws: ScopeError.self) { try scope.value(for: key) }.description
        }
        #expect(try text(Home.TokenKey.self) != text(Login.TokenKey.self))
        let (home, login) = try (text(Feature<Home>.TokenKey.self), text(Feature<Login>.TokenKey.self))
        #expect(home.contains("Home"))
        #expect(login.contains("Login"))
    }

    @Test("An alias has its own name in texts")
    func aliases() throws {
        scope.alias(Home.TokenKey.self, to: Login.TokenKey.self)
        let error = try #require(throws: ScopeError.self) { try scope.value(for: Home.TokenKey.self) }
        #expect(error.description.hasPrefix("No value for Home.TokenKey (Int), an alias of Login.TokenKey (Int): "))
        #expect(error.key == "Home.TokenKey")
    }

    @Test("The type of a value is spelled in full", arguments: 0..<9)
    func types(index: Int) throws {
        let expected = [
            "Int", "Dictionary<String, Array<Int>>", "Outer.Inner", "Store", "() -> Date", "(Int) throws -> String",
            "(URL) async throws -> Data", "(Int, URL)", "Sink & Store",
        ]
        let reads: [() throws -> Void] = [
            { _ = try scope.value(for: FamilyKey<Int>.self) },
            { _ = try scope.value(for: FamilyKey<[String: [Int]]>.self) },
            { _ = try scope.value(for: FamilyKey<Outer.Inner>.self) },
            { _ = try scope.value(for: FamilyKey<any Store>.self) },
            { _ = try scope.value(for: FamilyKey<@Sendable () -> Date>.self) },
            { _ = try scope.value(for: FamilyKey<@Sendable (Int) throws -> String>.self) },
            { _ = try scope.value(for: FamilyKey<@Sendable (URL) async throws -> Data>.self) },
            { _ = try scope.value(for: FamilyKey<(Int, URL)>.self) },
            { _ = try scope.value(for: FamilyKey<any Store & Sink>.self) },
        ]
        let error = try #require(throws: ScopeError.self) { try reads[index]() }
        let marks = ["@Sendable ", "nonisolated(nonsending) ", "any "]
        #expect(marks.reduce(error.valueType ?? "") { $0.replacing($1, with: "") } == expected[index])
        #expect(error.description.contains(error.valueType ?? "?"))
    }

    @Test("A generic key is one key for each argument")
    func genericKeys() {
        enum BoxKey<Element: Sendable>: ScopeKey { typealias Value = [Element]? }
        scope[BoxKey<Int>.self] = [1]
        scope[BoxKey<String>.self] = ["a"]
        #expect(scope[BoxKey<Int>.self] == [1])
        #expect(scope[BoxKey<String>.self] == ["a"])
    }

    @Test("A scope with a thousand values returns each of them")
    func manyValues() {
        func set<Key: ScopeKey>(_ key: Key.Type, _ depth: Int) where Key.Value == Int {
            scope[key] = depth
            if depth < 300 { set(Nested<Key>.self, depth + 1) }
            #expect(scope[key] == depth)
        }
        set(Nested<PortKey>.self, 0)
    }
}
