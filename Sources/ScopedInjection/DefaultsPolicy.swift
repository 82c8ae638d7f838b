/// Whether a scope, and what lies below it, may use the defaults of values.
///
/// A test that gives its scope ``reported`` or ``forbidden`` learns of every value it forgot to set, instead of reaching
/// what the program uses in production.
///
/// ```swift
/// let test = EnvironmentScope(
///     "test",
///     parent: nil,
///     defaults: .forbidden
/// ) { $0.database = InMemory() }
/// ```
///
/// Neither concerns set values and builders that were provided, nor defaults that are declared to be safe in tests, the nil of
/// optional values among them. In a process that runs tests, a value that has another default `inTests:` gives that; in a program,
/// no policy does. A scope without a parent is ``reported`` in tests if it names no policy, and its program links
/// `ScopedInjectionTesting`.
public enum DefaultsPolicy: Sendable {
    /// Defaults may be used, even below a scope with another policy.
    case allowed

    /// A read that only a value's own default could answer is the error ``ScopeError/Code/defaultForbidden``.
    case forbidden

    /// A default is given, and the observers of the scope are told; a test fails, and goes on.
    case reported
}
