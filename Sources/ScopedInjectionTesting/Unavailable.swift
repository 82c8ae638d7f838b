// What an earlier version had, each with its new spelling; none of it is in the next version any more.

extension ScopeStrictness {
    /// Unavailable: a strictness is one level for all reports.
    @available(*, unavailable, renamed: "ScopeStrictness")
    public typealias Level = ScopeStrictness

    /// Unavailable: a strictness is one level for all reports.
    @available(*, unavailable, message: "it is one level for all reports: .failures, .warnings or .off")
    public init(
        unreadValues: ScopeStrictness? = nil,
        lateReads: ScopeStrictness? = nil,
        survivors: ScopeStrictness? = nil,
        globalReads: ScopeStrictness? = nil
    ) { self = .warnings }
}
