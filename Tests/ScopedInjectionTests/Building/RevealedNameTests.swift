import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let number = ScopeValue(0)
    /// The name of the parent of the scope that it is built for.
    fileprivate static let parentName = ScopeValue { scope in "\(scope.parent?.name ?? "none") \(scope.number)" }
    /// The same, of a scope that the builder makes.
    fileprivate static let throughMade = ScopeValue { scope in
        EnvironmentScope("made", parent: scope) { $0.number = 1 }.parentName
    }
    fileprivate static let throughTwo = ScopeValue { scope in
        let made = EnvironmentScope("made", parent: scope) { $0.number = 1 }
        return EnvironmentScope("within", parent: made) { $0.number = 2 }.grandparentName
    }
    fileprivate static let missing = ScopeValue<String>.required()
    fileprivate static let needsMissing = ScopeValue { scope in try scope.value(for: \.missing) }
    fileprivate static let told = ScopeValue { scope in text { try scope.value(for: \.missing) } }
    fileprivate static let toldWithin = ScopeValue { scope in text { try scope.value(for: \.needsMissing) } }
    fileprivate static let toldByMade = ScopeValue { scope in
        let made = EnvironmentScope("made", parent: scope) { $0.number = 1 }
        return text { try made.value(for: \.missing) }
    }
    fileprivate static let grandparentName = ScopeValue { scope in
        "\(scope.parent?.parent?.name ?? "none") \(scope.number)"
    }
}

private func text(_ read: () throws -> String) -> String {
    do { return try read() } catch { return "\(error)" }
}

@Suite("R4: the name of a scope that asks reaches no other one, whatever scopes builders make")
struct RevealedNameTests {
    private typealias Name = any KeyPath<ScopeValues.Type, ScopeValue<String>> & Sendable

    @Test("A builder that makes a scope for another one, which asks for the parent", arguments: [0, 1], [true, false])
    func parent(depth: Int, isProvided: Bool) {
        let name: Name = depth == 0 ? \.throughMade : \.throughTwo
        let app = EnvironmentScope.empty("app", parent: nil)
        if isProvided {
            app.provide(\.parentName) { scope in "\(scope.parent?.name ?? "none") \(scope.number)" }
            app.provide(\.grandparentName) { scope in "\(scope.parent?.parent?.name ?? "none") \(scope.number)" }
        }
        let first = EnvironmentScope.empty("first", parent: app)
        let second = EnvironmentScope.empty("second", parent: app)
        #expect(first[name] == "first \(depth + 1)")
        #expect(second[name] == "second \(depth + 1)")
        let other = EnvironmentScope.empty("other", parent: nil)
        #expect(first[name] == "first \(depth + 1)")
        first.parent = other
        #expect(first[name] == "first \(depth + 1)")
    }
    @Test("A builder that tells what went wrong", arguments: [\.told, \.toldByMade, \.toldWithin] as [Name])
    private func error(name: Name) throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let first = EnvironmentScope.empty("first", parent: app)
        let second = EnvironmentScope.empty("second", parent: app)
        #expect(first[name].contains("No value"))
        #expect(!first[name].contains("first"))
        #expect(second[name] == first[name])
        // Whoever is not a builder is told which scopes were searched.
        let error = try #require(throws: ScopeError.self) { try first.value(for: \.needsMissing) }
        #expect(error.searchedScopes == ["\"first\"", "\"app\""])
    }
}
