/// A value that may be shown in the descriptions of scopes.
///
/// Scopes hold passwords and tokens, so descriptions, explanations and debuggers show only the types of values.
/// A type whose values are no secret says so by conforming:
///
/// ```swift
/// extension Port: ScopeDescribable {}
/// ```
///
/// The text is asked for on the thread that describes the scope, while no lock is held.
public protocol ScopeDescribable {
    /// What descriptions of scopes show of the value.
    var scopeDescription: String { get }
}

extension ScopeDescribable {
    /// Gives what string interpolation gives.
    public var scopeDescription: String { "\(self)" }
}

/// What may be shown of a value; nil where its type has not said that it may.
func shownText(of value: Any) -> String? { (value as? any ScopeDescribable)?.scopeDescription }
