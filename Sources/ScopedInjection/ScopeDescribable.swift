/// A value that may be shown in the descriptions of scopes.
///
/// Scopes hold passwords and tokens, so descriptions, explanations and debuggers show only the types of values.
/// Conform a type whose values are not secret:
///
/// ```swift
/// extension Port: ScopeDescribable {}
/// ```
///
/// The text is read on the thread that describes the scope, while no lock is held.
public protocol ScopeDescribable {
    /// The text that descriptions of scopes show for the value.
    var scopeDescription: String { get }
}

extension ScopeDescribable {
    /// The value as string interpolation shows it.
    public var scopeDescription: String { "\(self)" }
}

/// The text that may be shown for a value; nil if its type does not conform to ``ScopeDescribable``.
func shownText(of value: Any) -> String? { (value as? any ScopeDescribable)?.scopeDescription }
