/// The part of a reference that a watch may see.
package protocol WatchedReference: AnyObject, Sendable {
    /// The place of the reference in the source.
    var location: ScopeError.Location { get }

    /// The reference's own scope, if the reference keeps it alive.
    var ownedScope: EnvironmentScope? { get }
}

/// A reference, whatever the type of its value.
protocol ScopedReference: WatchedReference {
    /// The value of the reference in a scope.
    func value(in scope: EnvironmentScope) -> Any

    /// The value in the reference's own scope, or else in the given one.
    func resolved(in scope: EnvironmentScope) throws(ScopeError) -> Any

    /// Sets the scope for `replace(in:)`, and whether the reference keeps it alive.
    func bind(to scope: EnvironmentScope, isOwning: Bool)

    /// Lets the reference no longer keep its own scope alive, if `replace(in:)` set that, a condition holds for it, and
    /// no other one is set meanwhile.
    func disown(if condition: (EnvironmentScope) -> Bool)
}
