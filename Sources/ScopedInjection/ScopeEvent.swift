/// An event of a scope: it built a value, let go of one, waited for a build, ran a cleanup, used a default, or was given something twice.
///
/// Observers receive it: see ``EnvironmentScope/observe(_:)``.
public struct ScopeEvent: Sendable, CustomStringConvertible {
    /// The kind of an event.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable {
        /// A builder ran and returned the value that the read got; or a run has made a deferred value.
        case built
        /// The same, and the scope that keeps the value was closed before: something outlives its request, or its test.
        case builtLate
        /// A builder ran, and what it returned was thrown away, because ``ScopeEvent/cause`` came meanwhile; it runs again.
        case thrownAway
        /// A kept value was let go of, for the reason in ``ScopeEvent/cause``; the next read builds it anew.
        ///
        /// A value is let go of when it is found to be out of date, which may be at the next read in its scope. A scope that goes
        /// away does not tell.
        case discarded
        /// A builder ran, but the read has no value: see ``ScopeEvent/error``; or the run of a deferred value threw.
        case failed
        /// A read waited while another thread built the value that it needs; or a task waited for a run that another one had begun.
        case waited
        /// A cleanup that has to be awaited begins: while it hangs, there is no other event of it.
        case cleanupBegan
        /// What has cleanups had not ended at the limit of ``EnvironmentScope/close(within:)``.
        case cleanupOverdue
        /// A cleanup ran.
        case cleanedUp
        /// A cleanup threw: see ``ScopeEvent/error``. The others run all the same.
        case cleanupFailed
        /// A scope went away without having been closed; its cleanups run now, and nothing waits for them.
        case leftUnclosed
        /// A default was given that ``DefaultsPolicy/reported`` concerns.
        case defaultUsed
        /// An update of the scope was made: see ``ScopeEvent/changes``.
        case updated
        /// A builder was provided in the place of another one of the same scope, by which nothing had been built yet: perhaps two
        /// modules provide the value. See ``ScopeEvent/location`` and ``ScopeEvent/formerLocation``.
        ///
        /// Only an observer is told that was there before.
        case providedTwice
    }

    /// Why a value was let go of, or a run of its builder thrown away.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Cause: Sendable, Hashable, CustomStringConvertible {
        /// A value that it was built from has changed, or was let go of: the name of the first one, and its type.
        case input(name: String, valueType: String)
        /// The value itself was set, provided, decorated or removed.
        case replaced
        /// ``EnvironmentScope/discardBuiltValues(_:)`` was called.
        case discarded
        /// Its scope was closed, and it had a cleanup.
        case closed

        /// Half a sentence for a log.
        public var description: String {
            switch self {
            case .input(let name, let valueType): "\(name) (\(valueType)) has changed"
            case .replaced: "it was set, provided or removed"
            case .discarded: "it was discarded"
            case .closed: "its scope was closed"
            }
        }
    }

    /// The kind of the event.
    public let kind: Kind

    /// The name of the scope that was read or closed; nil if it has none.
    public let scope: String?

    /// The name of the value that was built, waited for or cleaned up; nil for a cleanup of the scope itself.
    public let name: String?

    /// The name of its type.
    public let valueType: String?

    /// Whether the event is of a run that makes a deferred value, and not of the builder that made the ``Deferred``.
    public let isDeferred: Bool

    /// Whether a scope keeps the built value; false for other kinds.
    public var isKept: Bool { keeper != nil }

    /// The name of the scope that keeps the built value; nil if that has none, or if no scope keeps it: see ``isKept``.
    public var keptIn: String? { keeper ?? nil }

    /// Why that scope keeps it, and none further out; nil if no scope keeps it, and if something has changed since.
    ///
    /// ```swift
    /// app.observe { event in
    ///     if event.keptIn == "request", let reason = event.keptBecause {
    ///         logger.debug("\(event.name ?? "") is built for each request: \(reason)")
    ///     }
    /// }
    /// ```
    public let keptBecause: KeepingReason?

    /// The name of the keeper; the outer nil if there is none.
    private let keeper: String??

    /// Why a value was let go of, or a run thrown away; nil for other kinds.
    public let cause: Cause?

    /// The error that the read got, or that the cleanup threw; nil for other kinds.
    public let error: (any Error)?

    /// The place of the reference that read a default, where a cleanup of the scope itself was registered, or where a value was
    /// provided again; else nil.
    public let location: ScopeError.Location?

    /// The place where a value that was ``Kind-swift.enum/providedTwice`` was provided before; nil for other kinds.
    public let formerLocation: ScopeError.Location?

    /// The names of the values that an update has set, provided, decorated or removed, or had built anew; empty for other kinds.
    public let changes: [String]

    /// The names of the values that stay in the scope though an update has changed what they were built from; empty for other kinds.
    ///
    /// An update that names them as `rebuilding:` begins them anew.
    public let staying: [String]

    /// How long it took.
    ///
    /// For a build, it includes the time of the builds that it needed.
    public let duration: Duration

    /// A line for a log.
    public var description: String {
        let asked = EnvironmentScope.display(scope)
        let keeper = keeper.map { "in \(EnvironmentScope.display($0))" } ?? "nowhere"
        let because = keptBecause.flatMap { $0 == .outermost ? nil : " because \($0)" } ?? ""
        let subject = "\(name ?? "?") (\(valueType ?? "?"))"
        let cleanup = name == nil ? location.map { "of \($0) " } ?? "" : "of \(subject) "
        let reason = cause.map { "\($0)" } ?? "?"
        return switch kind {
        case .built where isDeferred: "made \(subject) in \(asked) in \(duration.text)"
        case .failed where isDeferred: "could not make \(subject) in \(asked) in \(duration.text)"
        case .waited where isDeferred: "waited \(duration.text) in \(asked) for \(subject) to be made"
        case .built: "built \(subject) for \(asked) in \(duration.text), kept \(keeper)\(because)"
        case .builtLate: "built \(subject) for \(asked) in \(duration.text), kept \(keeper), which is closed"
        case .failed: "could not build \(subject) for \(asked) in \(duration.text)"
        case .waited: "waited \(duration.text) in \(asked) for \(subject) to be built"
        case .thrownAway: "threw a run for \(subject) in \(asked) away after \(duration.text), because \(reason)"
        case .discarded: "let go of \(subject) in \(asked), because \(reason)"
        case .leftUnclosed: "\(asked) went away without having been closed; its cleanups run now"
        case .cleanupBegan: "the cleanup \(cleanup)in \(asked) begins"
        case .cleanupOverdue: "the cleanup \(cleanup)in \(asked) has not ended within \(duration.text)"
        case .cleanedUp: "ran the cleanup \(cleanup)in \(asked) in \(duration.text)"
        case .cleanupFailed:
            "the cleanup \(cleanup)in \(asked) failed after \(duration.text): \(error.map { "\($0)" } ?? "?")"
        case .defaultUsed:
            "used the default of \(subject) in \(asked)\(location.map { ", read by the reference at \($0)" } ?? "")"
        case .providedTwice:
            "\(subject) was provided twice in \(asked): at \(formerLocation.map { "\($0)" } ?? "?"), and then at \(location.map { "\($0)" } ?? "?"), which counts"
        case .updated:
            "updated \(asked): \(changes.isEmpty ? "nothing" : changes.joined(separator: ", "))"
                + (staying.isEmpty ? "" : "; built from what was there before: \(staying.joined(separator: ", "))")
        }
    }

    /// All fields, so that a new one cannot be forgotten where an event is made.
    @inline(never)
    init(
        _ kind: Kind,
        in scope: EnvironmentScope,
        of value: ValueKey? = nil,
        after duration: Duration = .zero,
        keptIn keeper: String?? = nil,
        keptBecause: KeepingReason? = nil,
        because departure: Departure? = nil,
        _ error: (any Error)? = nil,
        at location: ScopeError.Location? = nil,
        formerly formerLocation: ScopeError.Location? = nil,
        changes: [String] = [],
        staying: [String] = [],
        isDeferred: Bool = false
    ) {
        self.isDeferred = isDeferred
        (self.changes, self.staying, self.formerLocation) = (changes, staying, formerLocation)
        self.keptBecause = keptBecause
        (self.kind, self.scope, self.duration, self.keeper) = (kind, scope.name, duration, keeper)
        (name, valueType, self.error, self.location) = (value?.name, value?.valueName, error, location)
        cause = departure.map { departure in
            switch departure {
            case .replaced: .replaced
            case .changed(let input): .input(name: input.name, valueType: input.valueName)
            case .discarded: .discarded
            case .closed: .closed
            }
        }
    }
}

extension Duration {
    /// The time in whole units, as people write it: `60 µs`, `12 ms`, `3 s`.
    var text: String {
        let nanoseconds = components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
        let units: [(limit: Int64, size: Int64, name: String)] = [
            (1_000, 1, "ns"), (10_000_000, 1_000, "µs"), (10_000_000_000, 1_000_000, "ms"),
        ]
        let (_, size, name) = units.first { nanoseconds < $0.limit } ?? (0, 1_000_000_000, "s")
        return "\((nanoseconds + size / 2) / size) \(name)"
    }
}
