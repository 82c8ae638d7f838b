/// Which reports at the end of a test case are failures of the test; the others are warnings.
///
/// ```swift
/// @Suite(.scope(strictness: .all) { $0.database = InMemory() })
/// struct NoteTests { … }
/// ```
public struct ScopeStrictness: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Values that the test's own trait set, and that nothing read.
    public static let unreadValues = ScopeStrictness(rawValue: 1)

    /// Reads through the scope after the test had ended.
    public static let lateReads = ScopeStrictness(rawValue: 2)

    /// What outlives the test: its scope, child scopes, references bound to them.
    public static let survivors = ScopeStrictness(rawValue: 4)

    /// All of them.
    public static let all: ScopeStrictness = [.unreadValues, .lateReads, .survivors]
}
