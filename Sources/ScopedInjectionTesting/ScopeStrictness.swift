/// Says whether each report about a test case is left out, is a warning, or is a failure.
///
/// Give it to a trait where you want to know more, or less, than most tests do.
///
/// ```swift
/// @Suite(
///     .scope(strictness: .failures) { $0.database = InMemory() }
/// )
/// struct StrictTests {
///     @Test(.scope(strictness: ScopeStrictness(survivors: .off)))
///     func startsAServer() async throws {}
/// }
/// ```
///
/// A default that the test reaches and a cleanup that throws are failures always.
///
/// Of the traits of a test and of the suites around it, the innermost that says something of a report counts. Where
/// none does, values that nothing read are not reported, what happens in the global scope is a failure, and the others are
/// warnings.
public struct ScopeStrictness: Sendable, Hashable {
    /// How a report counts.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Level: Sendable, Hashable {
        /// Nothing is reported.
        case off

        /// A warning of the test, which does not fail it. Before Swift 6.3 it is a printed line.
        case warnings

        /// A failure of the test.
        case failures
    }

    /// The values that a trait of the test itself set or provided, and that nothing read.
    ///
    /// They are not reported unless a trait asks for it, because a trait that several tests share sets more than each
    /// of them reads.
    public var unreadValues: Level?

    /// The reads through the test's scope, or one below, after the test had ended.
    public var lateReads: Level?

    /// What outlives the test: its scope, child scopes, and references bound to them.
    public var survivors: Level?

    /// What is written in the global scope, and reads there, or below, that miss what the test's scope has or are given a default.
    public var globalScope: Level?

    /// Says how each report counts; nil leaves it to the suites around the test.
    public init(
        unreadValues: Level? = nil,
        lateReads: Level? = nil,
        survivors: Level? = nil,
        globalScope: Level? = nil
    ) {
        self.unreadValues = unreadValues
        self.lateReads = lateReads
        self.survivors = survivors
        self.globalScope = globalScope
    }

    private init(all level: Level) {
        self.init(unreadValues: level, lateReads: level, survivors: level, globalScope: level)
    }

    /// None of the four reports is made.
    public static let off = ScopeStrictness(all: .off)

    /// Each report is a warning, the one of unread values included.
    public static let warnings = ScopeStrictness(all: .warnings)

    /// Each report is a failure, the one of unread values included.
    public static let failures = ScopeStrictness(all: .failures)

    /// What holds where no trait says anything.
    static let standard = ScopeStrictness(unreadValues: .off, globalScope: .failures).filled(from: .warnings)

    /// What this one says, and what the other one says where this one says nothing.
    func filled(from other: ScopeStrictness) -> ScopeStrictness {
        ScopeStrictness(
            unreadValues: unreadValues ?? other.unreadValues,
            lateReads: lateReads ?? other.lateReads,
            survivors: survivors ?? other.survivors,
            globalScope: globalScope ?? other.globalScope
        )
    }
}
