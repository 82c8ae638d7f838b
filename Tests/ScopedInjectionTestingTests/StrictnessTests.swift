import ScopedInjection
import ScopedInjectionTesting
import Testing

@Suite("How a report counts is what the innermost trait says of it")
struct StrictnessTests {
    @Test("Nothing is said of what nothing read, unless the test asks", .withoutIssues, .scope { $0.port = 1 })
    func quiet() {}

    @Test("Turned off, nothing is said", .withoutIssues, .scope(strictness: .off) { $0.port = 1 })
    func off() { Self.keep() }

    @Suite(.issues { issues in #expect(issues.map(\.isFailure) == [true]) }, .scope(strictness: .failures))
    struct Strict {
        @Test("What the suite says holds where the test says nothing") func inherited() { StrictnessTests.keep() }

    }

    @Suite(.withoutIssues, .scope(strictness: .failures))
    struct Milder {
        @Test("The test's own word counts", .scope(strictness: .off) { $0.port = 1 })
        func own() { StrictnessTests.keep() }
    }

    private static let kept = Box<[EnvironmentScope]>([])

    /// Lets the scope of the test survive it.
    private static func keep() { kept.update { [scope = EnvironmentScope.current] in $0.append(scope) } }
}
