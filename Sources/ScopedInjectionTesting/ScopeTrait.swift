public import ScopedInjection
public import Testing

/// Gives each case of a test a scope of its own, which no other test can see.
///
/// Write it as `.scope { … }` at a test, or at a suite for each of its tests.
///
/// ```swift
/// @Test(.scope { $0.database = InMemory() })
/// func savesANote() {
///     NoteStore().add("milk")
///     #expect(EnvironmentScope.current.database.notes == ["milk"])
/// }
/// ```
///
/// Each argument of a parameterised test is a case. The scope is made before the case. It is current while the suite's
/// instance is made, while the test runs, and while the instance goes. Then it is closed, and its cleanups are awaited.
///
/// Where the suites around a test and the test itself have traits, the outermost makes the scope. The others set more
/// values in it, the test's own last.
public struct ScopeTrait: TestTrait, SuiteTrait, TestScoping {
    let name: String?
    let parent: @Sendable () -> EnvironmentScope?
    let defaults: DefaultsPolicy?
    fileprivate(set) var allowed: [ValueKey] = []
    let strictness: ScopeStrictness?
    let closingLimit: Duration?
    /// Sets the values of the request; nil where no trait asks for one.
    let request: (@Sendable (EnvironmentScope) async throws -> Void)?
    let configure: @Sendable (EnvironmentScope) async throws -> Void
    /// What all copies of the trait have, and no other trait.
    let identity = Identity()

    final class Identity: Sendable {}

    /// True: the trait of a suite is for every test in it, at any depth.
    public var isRecursive: Bool { true }

    /// Returns the trait for a test case, and for a suite, so that its tests can tell its traits from their own.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> ScopeTrait? {
        test.isSuite || testCase != nil ? self : nil
    }

    /// Runs a case in its scope.
    ///
    /// - Throws: What the case throws. What the trait's closure throws; then the case does not run.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let isOfSuite = Self.ofSuites.contains(ObjectIdentifier(identity))
        if test.isSuite {
            let traits = Self.ofSuites.union([ObjectIdentifier(identity)])
            try await Self.$ofSuites.withValue(traits) { try await function() }
        } else if let running = ScopedCase.current, running.test == test {
            try await running.configure(by: self, isOfSuite: isOfSuite)
            try await function()
        } else {
            try await ScopedCase.run(test, as: Options(self, among: test.traits)) { running in
                try await running.configure(by: self, isOfSuite: isOfSuite)
                try await function()
            }
        }
    }

    /// The traits of the suites around the running test.
    @TaskLocal private static var ofSuites: Set<ObjectIdentifier> = []

    /// What the traits of a test say together: the innermost that says something counts, and what they allow adds up.
    struct Options: Sendable {
        let name: String?
        let defaults: DefaultsPolicy?
        let allowed: [ValueKey]
        let strictness: ScopeStrictness?
        let closingLimit: Duration
        let hasRequest: Bool
        private let parents: [@Sendable () -> EnvironmentScope?]

        init(_ outermost: ScopeTrait, among traits: [any Trait]) {
            let others = traits.compactMap { $0 as? ScopeTrait }.filter { $0.identity !== outermost.identity }
            let inwards = [outermost] + others
            let outwards = inwards.reversed()
            parents = outwards.map(\.parent)
            name = outwards.lazy.compactMap(\.name).first
            defaults = outwards.lazy.compactMap(\.defaults).first
            allowed = inwards.flatMap(\.allowed)
            closingLimit = outwards.lazy.compactMap(\.closingLimit).first ?? .seconds(10)
            strictness = outwards.lazy.compactMap(\.strictness).first
            hasRequest = inwards.contains { $0.request != nil }
        }

        /// Evaluates what each trait gives, which may make a scope, no further than needed; called once for a case.
        func makeParent() -> EnvironmentScope? {
            for parent in parents {
                let parent = parent()
                if parent !== ScopeTrait.unnamed { return parent }
            }
            return nil
        }
    }

    /// Stands for the parent of a trait that names none, which is something else than nil.
    @usableFromInline static let unnamed = EnvironmentScope.empty("none", parent: nil, defaults: .allowed)
}

extension ScopeTrait {
    /// The same trait, which allows the defaults of values.
    func allowing<each Value>(_ values: repeat ScopeValue<each Value>) -> ScopeTrait {
        var trait = self
        for value in repeat each values { trait.allowed.append(value.valueKey) }
        return trait
    }
}
