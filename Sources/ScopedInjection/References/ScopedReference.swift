/// A reference, whatever the type of its value.
protocol ScopedReference: WatchedReference {
    /// The value in a scope.
    func value(in scope: EnvironmentScope) throws(ScopeError) -> Any

    /// The value in the reference's own scope, or else in the given one.
    func resolved(in scope: EnvironmentScope) throws(ScopeError) -> Any

    /// Gives the reference a scope, and says whether the reference keeps it alive.
    func bind(to scope: EnvironmentScope, isOwning: Bool)
}
