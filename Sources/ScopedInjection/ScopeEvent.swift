/// An event of a scope: it built a value, waited for a build, ran a cleanup, or used a default.
///
/// Observers receive it: see ``EnvironmentScope/observe(_:)``.
public struct ScopeEvent: Sendable, CustomStringConvertible {
    /// The kind of an event.
    public enum Kind: Sendable, Hashable {
        /// A builder ran and returned the value that the read got.
        ///
        /// A run whose value nobody gets, because what it read has changed meanwhile, is not reported.
        case built
        /// The same, and the scope that keeps the value was closed before: something outlives its request, or its test.
        case builtLate
        /// A builder ran, but the read has no value: see ``ScopeEvent/error``.
        case failed
        /// A read waited while another thread built the value that it needs.
        case waited
        /// A cleanup ran.
        case cleanedUp
        /// A cleanup threw: see ``ScopeEvent/error``. The others run all the same.
        case cleanupFailed
        /// A scope went away without having been closed; its cleanups run now, and nothing waits for them.
        case leftUnclosed
        /// A default was given that ``DefaultsPolicy/reported`` concerns.
        case defaultUsed
    }

    /// The kind of the event.
    public let kind: Kind

    /// The name of the scope that was read or closed; "unnamed scope" if it has none.
    public let scope: String

    /// The name of the value that was built, waited for or cleaned up, to which an alias may have led; nil for a cleanup of the
    /// scope itself.
    public internal(set) var name: String?

    /// The name of its type.
    public internal(set) var valueType: String?

    /// The name of the scope that keeps a built value; nil if no scope keeps it, and for other kinds.
    public internal(set) var keptIn: String?

    /// The error that the read got, or that the cleanup threw; nil for other kinds.
    public internal(set) var error: (any Error)?

    /// The place of the reference that read a default, or where a cleanup of the scope itself was registered; else nil.
    public internal(set) var location: ScopeError.Location?

    /// How long it took.
    ///
    /// For a build, it includes the time of the builds that it needed.
    public let duration: Duration

    /// A line for a log.
    public var description: String {
        let asked = EnvironmentScope.display(label: scope)
        let keeper = keptIn.map { "in \(EnvironmentScope.display(label: $0))" } ?? "nowhere"
        let subject = "\(name ?? "?") (\(valueType ?? "?"))"
        let cleanup = name == nil ? location.map { "of \($0) " } ?? "" : "of \(subject) "
        return switch kind {
        case .built: "built \(subject) for \(asked) in \(duration.text), kept \(keeper)"
        case .builtLate: "built \(subject) for \(asked) in \(duration.text), kept \(keeper), which is closed"
        case .failed: "could not build \(subject) for \(asked) in \(duration.text)"
        case .waited: "waited \(duration.text) in \(asked) for \(subject) to be built"
        case .leftUnclosed: "\(asked) went away without having been closed; its cleanups run now"
        case .cleanedUp: "ran the cleanup \(cleanup)in \(asked) in \(duration.text)"
        case .cleanupFailed:
            "the cleanup \(cleanup)in \(asked) failed after \(duration.text): \(error.map { "\($0)" } ?? "?")"
        case .defaultUsed:
            "used the default of \(subject) in \(asked)\(location.map { ", read by the reference at \($0)" } ?? "")"
        }
    }

    init(_ kind: Kind, in scope: EnvironmentScope, after duration: Duration) {
        self.kind = kind
        self.scope = scope.label
        self.duration = duration
    }

    mutating func note(_ cleanup: Cleanup.Origin) {
        switch cleanup {
        case .value(let value): noteValue(value)
        case .place(let place): location = ScopeError.Location(place)
        }
    }

    mutating func noteValue(_ value: ValueKey) {
        name = value.name
        valueType = value.valueName
    }
}

extension Duration {
    /// The time in whole units, as people write it: `60 µs`, `12 ms`, `3 s`.
    fileprivate var text: String {
        let nanoseconds = components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
        let units: [(limit: Int64, size: Int64, name: String)] = [
            (1_000, 1, "ns"), (10_000_000, 1_000, "µs"), (10_000_000_000, 1_000_000, "ms"),
        ]
        let (_, size, name) = units.first { nanoseconds < $0.limit } ?? (0, 1_000_000_000, "s")
        return "\((nanoseconds + size / 2) / size) \(name)"
    }
}
