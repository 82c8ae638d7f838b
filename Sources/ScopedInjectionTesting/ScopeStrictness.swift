/// What becomes of what a test case is told beside its failures: nothing, a warning or a failure, for each report by itself.
///
/// ```swift
/// @Suite(.scope(strictness: .failures) { $0.database = InMemory() })
/// struct StrictTests {
///     @Test(.scope(strictness: ScopeStrictness(survivors: .off))) func startsAServer() async throws {}
/// }
/// ```
///
/// Of the traits of a test and of the suites around it, the innermost that says something of a report counts. Where none
/// does, the reports are warnings, and values that nothing read are not reported.
public struct ScopeStrictness: Sendable, Hashable {
    /// What becomes of a report.
    public enum Level: Sendable, Hashable {
        /// Nothing is reported.
        case off

        /// A warning of the test, which does not fail it. Before Swift 6.3 it is a printed line.
        case warnings

        /// A failure of the test.
        case failures
    }

    /// Values that a trait of the test itself set or provided, and that nothing read.
    ///
    /// Off where nothing is said: a trait that several tests share sets more than each of them reads.
    public var unreadValues: Level?

    /// Reads through the test's scope, or one below, after the test had ended.
    public var lateReads: Level?

    /// What outlives the test: its scope, child scopes, references bound to them.
    public var survivors: Level?

    /// Defaults of the global scope that were read by code of which no test is known, while this test forbade defaults.
    public var globalReads: Level?

    /// Says what becomes of each report; nil for what the suites around say.
    public init(
        unreadValues: Level? = nil,
        lateReads: Level? = nil,
        survivors: Level? = nil,
        globalReads: Level? = nil
    ) {
        self.unreadValues = unreadValues
        self.lateReads = lateReads
        self.survivors = survivors
        self.globalReads = globalReads
    }

    private init(all level: Level) {
        self.init(unreadValues: level, lateReads: level, survivors: level, globalReads: level)
    }

    /// No report.
    public static let off = ScopeStrictness(all: .off)

    /// Each report is a warning, the one of unread values included.
    public static let warnings = ScopeStrictness(all: .warnings)

    /// Each report is a failure, the one of unread values included.
    public static let failures = ScopeStrictness(all: .failures)

    /// What counts where no trait says anything.
    static let standard: ScopeStrictness = {
        var standard = warnings
        standard.unreadValues = .off
        return standard
    }()

    /// What this says, and what another one says where this says nothing.
    func filled(from other: ScopeStrictness) -> ScopeStrictness {
        ScopeStrictness(
            unreadValues: unreadValues ?? other.unreadValues,
            lateReads: lateReads ?? other.lateReads,
            survivors: survivors ?? other.survivors,
            globalReads: globalReads ?? other.globalReads
        )
    }
}
