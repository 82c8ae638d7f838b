import ScopedInjection
import ScopedInjectionTesting
import Testing

// The examples in the comments of ScopedInjectionTesting.

struct OfScopeTrait {
    // ⟨ScopeTrait.swift: @Test⟩

    // ⟨ScopeTrait+Forms.swift 1: @Suite⟩

    // ⟨ScopeTrait+Forms.swift 2: @Suite⟩

    // ⟨ScopeTrait+Forms.swift 1: @Test⟩

    // ⟨ScopeTrait+Forms.swift 2: @Test⟩

    // ⟨ScopeTrait+Allowing.swift 1: @Test⟩
    func readsTheLimit() { #expect(EnvironmentScope.current.limit == 100) }

    // ⟨ScopeTrait+Allowing.swift 2: @Test⟩
    func readsTheLimitOfARequest() { #expect(EnvironmentScope.current.limit == 100) }

    // ⟨ScopeTrait+Allowing.swift 3: @Test⟩
    func readsTheLimitOfAnEmptyApplication() { #expect(EnvironmentScope.current.limit == 100) }

    @Test(.scope(allowing: { $0.flag("beta") }) { $0.database = InMemory() })
    func readsTheFlag() { #expect(!EnvironmentScope.current[ScopeValues.flag("beta")]) }
}

// ⟨ScopeStrictness.swift: @Suite⟩

// It would be the global scope of all tests here.
@Suite(.disabled("It sets what the whole process has."))
struct OfGlobalDefaults {
    // ⟨GlobalDefaultsTrait.swift: @Suite⟩
}

extension ScopeValues { fileprivate static var logger: ScopeValue<TestLogger> { .value(TestLogger()) } }
private struct TestLogger: Sendable {}
@Suite(.disabled("It sets what the whole process has.")) struct OfGlobalValues {
    // ⟨GlobalValuesTrait.swift: @Suite⟩
}
