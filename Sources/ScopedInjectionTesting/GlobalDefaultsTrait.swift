public import ScopedInjection
public import Testing

/// Says whether scopes without a parent give defaults, for the rest of the test process.
///
/// Write it as `.globalDefaults(.allowed)` or `.globalDefaults(.forbidden)`.
public struct GlobalDefaultsTrait: SuiteTrait, TestTrait {
    let policy: DefaultsPolicy

    /// Sets the policy, before the first test of the process runs.
    ///
    /// - Throws: An error where another trait says another policy, of which the stricter counts.
    public func prepare(for test: Test) async throws {
        if let other = GlobalWatch.say(policy), other != policy {
            throw Contradiction(policies: [other, policy])
        }
    }

    private struct Contradiction: Error, CustomStringConvertible {
        let policies: [DefaultsPolicy]

        var description: String {
            """
            Traits of this process say .globalDefaults(.\(policies[0])) and .globalDefaults(.\(policies[1])); the stricter counts.
              To fix it: say one of them.
            """
        }
    }
}

extension Trait where Self == GlobalDefaultsTrait {
    /// Says whether scopes without a parent give defaults, for all tests of the process.
    ///
    /// It speaks for the global scope, and for others that say nothing of defaults themselves, as a program makes them. Without it,
    /// a live default that is read there is given, and fails the test. Tests without a scope, detached tasks, queues and threads read
    /// through the global scope. With `.forbidden` they get no live default: a read that can throw throws the error
    /// `defaultForbidden`, and another one ends the process, with a text that names the test. With `.allowed` they get live
    /// defaults, and nothing is told of these scopes.
    ///
    /// ```swift
    /// @Suite(.globalDefaults(.forbidden))
    /// struct ServerTests {
    ///     @Test(.scope { $0.port = 1 })
    ///     func readsItsPort() {
    ///         #expect(EnvironmentScope.current.port == 1)
    ///     }
    /// }
    /// ```
    ///
    /// It takes effect before the first test runs, and lasts until the process ends. One test that runs with the trait
    /// is enough; so a test that needs it has it itself, or runs alone without it. Where two say different policies, the stricter
    /// counts, and the second is an issue.
    public static func globalDefaults(_ policy: DefaultsPolicy) -> GlobalDefaultsTrait {
        GlobalDefaultsTrait(policy: policy)
    }
}
