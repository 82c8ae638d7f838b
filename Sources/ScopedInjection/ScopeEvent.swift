/// An event of a scope: it built a value, let go of one, waited for a build, ran a cleanup, used a default, or was given something twice.
///
/// Observers receive it: see ``EnvironmentScope/observe(_:)``. The text says all; the properties are for metrics and tests:
///
/// ```swift
/// app.observe { event in logger.debug("\(event)") }
/// ```
///
/// It may be used from any thread.
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
        /// A builder ran, and what it returned was thrown away, because something has changed meanwhile; it runs again.
        case thrownAway
        /// A kept value was let go of, for the reason that the text says; the next read builds it anew.
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
        /// A closing waits for who runs in the scope or further in: ``ScopeEvent/names`` has the names of these scopes.
        case draining
        /// An update of the scope was made: see ``ScopeEvent/names``.
        case updated
        /// A builder was provided in the place of another one of the same scope, by which nothing had been built yet: perhaps two
        /// modules provide the value. The text has both places.
        ///
        /// Only an observer is told that was there before.
        case providedTwice
    }

    /// What only the text says.
    enum Detail: Sendable {
        case none
        /// A built value is kept in a scope of that name; nobody knows why where something has changed since.
        case kept(in: String?, Keeping?)
        /// Also the values that hold what was let go of, which ends after them.
        case because(Departure, heldBy: [ValueKey])
        /// Where the value was provided before.
        case formerly(ScopeError.Location)
        /// What stays though an update has changed what it was built from.
        case staying([String])
        /// The event is of a run that makes a deferred value.
        case ofRun
    }

    /// The kind of the event.
    public let kind: Kind

    /// The name of the scope that was read, changed or closed; nil if it has none.
    public let scope: String?

    /// The name of the value that was built, waited for, let go of or cleaned up; nil for a cleanup of the scope itself.
    public var name: String? { key?.name }

    /// The names of the values that an update has set, provided, decorated or removed, or had built anew; empty for other kinds.
    public let names: [String]

    /// The error that the read got, or that the cleanup threw; nil for other kinds.
    public let error: (any Error)?

    /// The place of the reference that read a default, where a cleanup of the scope itself was registered, or where a value was
    /// provided again; else nil.
    public let location: ScopeError.Location?

    /// How long it took.
    ///
    /// For a build, it includes the time of the builds that it needed.
    public let duration: Duration

    private let key: ValueKey?
    private let detail: Detail

    /// A line for a log.
    public var description: String {
        let (asked, subject, time) = (EnvironmentScope.display(scope), key?.typedName ?? "?", duration.text)
        let cleanup =
            "the cleanup \((key == nil ? location?.description : subject).map { "of \($0) " } ?? "")in \(asked)"
        let place = location?.description ?? "?"
        return switch (kind, detail) {
        case (.built, .ofRun): "made \(subject) in \(asked) in \(time)"
        case (.failed, .ofRun): "could not make \(subject) in \(asked) in \(time)"
        case (.waited, .ofRun): "waited \(time) in \(asked) for \(subject) to be made"
        case (.built, _): "built \(subject) for \(asked) in \(time), kept \(detail.text)"
        case (.builtLate, _): "built \(subject) for \(asked) in \(time), kept \(detail.text), which is closed"
        case (.failed, _): "could not build \(subject) for \(asked) in \(time)"
        case (.waited, _): "waited \(time) in \(asked) for \(subject) to be built"
        case (.thrownAway, _): "threw a run for \(subject) in \(asked) away after \(time), because \(detail.text)"
        case (.discarded, _): "let go of \(subject) in \(asked), because \(detail.text)"
        case (.leftUnclosed, _): "\(asked) went away without having been closed; its cleanups run now"
        case (.cleanupBegan, _): "\(cleanup) begins"
        case (.cleanupOverdue, _): "\(cleanup) has not ended within \(time)"
        case (.cleanedUp, _): "ran \(cleanup) in \(time)"
        case (.cleanupFailed, _): "\(cleanup) failed after \(time): \(error.map { "\($0)" } ?? "?")"
        case (.defaultUsed, _):
            "used the default of \(subject) in \(asked)\(location == nil ? "" : ", read by the reference at \(place)")"
        case (.providedTwice, _):
            "\(subject) was provided twice in \(asked): at \(detail.text), and then at \(place), which counts"
        case (.draining, _):
            "\(asked) is closed once nobody runs any more in \(names.joined(separator: ", "))"
        case (.updated, _):
            "updated \(asked): \(names.isEmpty ? "nothing" : names.joined(separator: ", "))\(detail.text)"
        }
    }

    /// All fields, so that a new one cannot be forgotten where an event is made.
    @inline(never)
    init(
        _ kind: Kind,
        in scope: EnvironmentScope,
        of value: ValueKey? = nil,
        after duration: Duration = .zero,
        _ error: (any Error)? = nil,
        at location: ScopeError.Location? = nil,
        names: [String] = [],
        saying detail: Detail = .none
    ) {
        (self.kind, self.scope, key, self.duration) = (kind, scope.name, value, duration)
        (self.error, self.location, self.names, self.detail) = (error, location, names, detail)
    }
}

extension ScopeEvent.Detail {
    fileprivate var text: String {
        switch self {
        case .kept(let keeper, let reason):
            "in \(EnvironmentScope.display(keeper))"
                + (reason.flatMap { $0.isOutermost ? nil : " because \($0.text)" } ?? "")
        case .because(let departure, let holders): departure.text + holders.heldBy
        case .formerly(let location): location.description
        case .staying(let names):
            names.isEmpty ? "" : "; built from what was there before: \(names.joined(separator: ", "))"
        case .none, .ofRun: "nowhere"
        }
    }
}

extension Departure {
    /// Half a sentence for a log.
    fileprivate var text: String {
        switch self {
        case .replaced: "it was set, provided or removed"
        case .changed(let input): "\(input.typedName) has changed"
        case .letGo(let input): "\(input.typedName) was let go of"
        case .discarded: "it was discarded"
        case .closed: "its scope was closed"
        case .unmade: "the update for which it was built is not made"
        }
    }
}

extension [ValueKey] {
    /// The rest of a text about what they hold.
    var heldBy: String { isEmpty ? "" : ", held by \(Set(map(\.name)).sorted().joined(separator: ", "))" }
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
