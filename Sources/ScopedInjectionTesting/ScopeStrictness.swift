/// Says whether the reports about a test case that are no failures by themselves are failures, warnings, or left out.
///
/// Give it to a trait where you want to know more, or less, than most tests do.
///
/// ```swift
/// @Suite(
///     .scope(strictness: .failures) { $0.database = InMemory() }
/// )
/// struct StrictTests {
///     @Test(.scope(strictness: .off))
///     func startsAServer() async throws {}
/// }
/// ```
///
/// The reports are of values that a trait of the test itself set or provided and nothing read, of reads through the test's scope
/// after its end, of what outlives the test (its scope, child scopes, and references bound to them), and of what is written in the
/// global scope, or read there, or below, although the test's scope has it, or as a default. A default that the test reaches and a
/// cleanup that throws are failures always.
///
/// Of the traits of a test and of the suites around it, the innermost that says something counts. Where none does, values that
/// nothing read are not reported, what happens in the global scope is a failure, and the others are warnings.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ScopeStrictness: Sendable, Hashable {
    /// Each report is a failure of the test, the one of unread values included.
    case failures

    /// Each report is a warning of the test, which does not fail it, the one of unread values included. Before Swift 6.3 it is a
    /// printed line.
    case warnings

    /// None of the reports is made.
    case off
}
