/// What a watch may know of a reference.
package protocol WatchedReference: AnyObject, Sendable {
    /// Where the reference stands in the source.
    var location: ScopeError.Location { get }

    /// The explicit scope, where the reference keeps it alive.
    var ownedScope: EnvironmentScope? { get }
}

/// What can be done with a reference whatever the type of its values.
protocol ScopedReference: WatchedReference {
    /// What the reference resolves to in a scope.
    func value(in scope: EnvironmentScope) -> Any

    /// The value in the reference's own scope, or else in the given one.
    func resolved(in scope: EnvironmentScope) throws(ScopeError) -> Any

    /// Sets the scope, and whether the reference keeps it alive.
    func bind(to scope: EnvironmentScope?, isOwning: Bool)
}
