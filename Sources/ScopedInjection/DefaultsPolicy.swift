/// Whether a scope, and what lies below it, may use the defaults of values.
///
/// A test that gives its scope ``forbidden`` learns at once of every value it forgot to set,
/// instead of reaching what the program uses in production.
///
/// ```swift
/// let test = EnvironmentScope("test", parent: nil, defaults: .forbidden) { $0.database = InMemory() }
/// ```
public enum DefaultsPolicy: Sendable {
    /// Defaults may be used, even below a scope that forbids them.
    case allowed

    /// A read that only a value's own default could answer is the error ``ScopeError/Code/defaultForbidden``.
    ///
    /// Set values and builders that were provided serve as ever.
    case forbidden
}
