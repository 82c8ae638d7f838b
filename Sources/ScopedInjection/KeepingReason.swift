/// Why a built value is kept in the scope that keeps it, and not further out, where more scopes would share it.
///
/// ``ScopeExplanation/keptBecause`` and ``ScopeEvent/keptBecause`` tell it. So a value that is built anew in each request names
/// what the request decides:
///
/// ```swift
/// if case .input(let input) = request.explain(\.database).keptBecause {
///     logger.info("each request has its own database, because of \(input.name)")
/// }
/// ```
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum KeepingReason: Sendable, Hashable, CustomStringConvertible {
    /// The scope that keeps it decides on a value that it was built from; of several, one that its builder has read itself.
    case input(Value)
    /// The value itself was provided in that scope, at this place.
    case provided(at: ScopeError.Location)
    /// The value itself is decorated in that scope; the place is that of the last decoration.
    case decorated(at: ScopeError.Location)
    /// It was built from a value that is ``ValueLifetime/once(in:)`` a role which that scope has.
    case staying(Value)
    /// The value itself is begun once in the scope of its role, and stays there.
    case role(ScopeRole)
    /// It was built from a default, and that scope has a policy for defaults.
    case policy(DefaultsPolicy)
    /// Its builder has caught the error ``ScopeError/Code/closed``, and what it returned is for the asking scope alone.
    case closed
    /// No scope decides on anything that it was built from, so the outermost one keeps it.
    case outermost

    /// A value from which the kept one was built.
    public struct Value: Sendable, Hashable {
        let key: ValueKey
        /// How the scope decides on it; `default` for one that belongs to its role.
        public let source: ScopeExplanation.Source
        /// The place where it was provided, or last decorated; nil for a set value, and for one that stays.
        public let location: ScopeError.Location?
        let via: ValueKey?

        /// The name of the value.
        public var name: String { key.name }
        /// The name of its type.
        public var valueType: String { key.valueName }
        /// The name of the direct input that was built from it; nil if the kept value's builder read it itself.
        public var through: String? { via?.name }

        init(_ key: ValueKey, _ source: ScopeExplanation.Source, _ location: ScopeError.Location? = nil, via: ValueKey?)
        {
            (self.key, self.source, self.location, self.via) = (key, source, location, via)
        }

        fileprivate func text(_ fact: String) -> String {
            key.typedName + (through.map { ", by way of \($0)," } ?? "") + " \(fact)"
                + (location.map { " (\($0))" } ?? "")
        }
    }

    /// Half a sentence for a log, in which *there* is the scope that keeps the value.
    public var description: String {
        switch self {
        case .input(let input):
            switch input.source {
            case .provided: input.text("is provided there")
            case .decorated: input.text("is decorated there")
            default: input.text("is set there")
            }
        case .provided(let place): "it is provided there (\(place))"
        case .decorated(let place): "it is decorated there (\(place))"
        case .staying(let input):
            input.text("belongs to the role \(input.key.role.map(ScopeRole.init)?.description ?? "?")")
        case .role(let role): "it is begun once in the role \(role)"
        case .policy(.allowed): "defaults are allowed again there"
        case .policy(.forbidden): "defaults are forbidden there"
        case .policy(.reported): "defaults are reported there"
        case .closed: "its builder went on without what a closed scope could not keep"
        case .outermost: "no scope decides on anything that it was built from"
        }
    }
}
