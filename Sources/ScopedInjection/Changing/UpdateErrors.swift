/// What updates are refused for.
extension ScopeError {
    /// Others have changed what an update changes.
    static func updateInConflict(in scope: EnvironmentScope) -> ScopeError {
        ScopeError(
            .invalid,
            detail: "What an update of \(scope.displayName) changes was changed by others each time.",
            advice: "let one task change these values."
        )
    }

    /// An update has built what a scope cannot keep any more.
    static func updateTooLate(in scope: EnvironmentScope) -> ScopeError {
        ScopeError(
            .closed,
            detail: "\(scope.displayName) is closed, and it has a cleanup",
            advice: "update a scope before it is closed."
        )
    }

    /// An update changes the scope itself in its closure.
    static func updateOutside(_ scope: EnvironmentScope, _ value: ValueKey) -> ScopeError {
        let name = scope.displayName
        return ScopeError(
            .invalid,
            detail: "An update of \(name) changes \(value.name) in \(name) itself, before it is made.",
            advice: "change it in the scope that the closure is given: update { $0\(value.codeMember ?? "") … }."
        )
    }
}
