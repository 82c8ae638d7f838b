/// Something a scope did that takes time: it built a value, waited for another's building, ran a cleanup.
///
/// Observers get it: see ``EnvironmentScope/observe(_:)``.
public struct ScopeEvent: Sendable, CustomStringConvertible {
    /// What a scope can do that takes time.
    public enum Kind: Sendable, Hashable {
        /// A builder ran, and gave a value.
        case built
        /// A builder ran, and threw.
        case failed
        /// A read waited until somebody else had built the value it needs.
        case waited
        /// A cleanup ran.
        case cleanedUp
    }

    /// What was done.
    public let kind: Kind

    /// The name of the scope that was read, or that was closed; "unnamed scope" where it has none.
    public let scope: String

    /// The name of the value that was read; nil for cleanups.
    public internal(set) var key: String?

    /// The name of its type; nil for cleanups.
    public internal(set) var valueType: String?

    /// The name of the scope that keeps a built value; nil where nobody keeps it, and for other kinds.
    public internal(set) var keptIn: String?

    /// Why a builder failed; nil for other kinds.
    public internal(set) var error: ScopeError?

    /// How long it took.
    ///
    /// The time of a builder includes that of the builders it called for.
    public let duration: Duration

    /// A line for a log.
    public var description: String {
        let asked = EnvironmentScope.display(label: scope)
        let keeper = keptIn.map { "in \(EnvironmentScope.display(label: $0))" } ?? "nowhere"
        let subject = "\(key ?? "?") (\(valueType ?? "?"))"
        return switch kind {
        case .built: "built \(subject) for \(asked) in \(duration), kept \(keeper)"
        case .failed: "could not build \(subject) for \(asked) in \(duration)"
        case .waited: "waited \(duration) in \(asked) for \(subject) to be built"
        case .cleanedUp: "cleaned up in \(asked) in \(duration)"
        }
    }
}
