/// What updates are refused for.
extension ScopeError {
    private static func update(of scope: EnvironmentScope, _ fact: String, _ advice: String) -> ScopeError {
        ScopeError(.invalid, detail: "An update of \(scope.displayName) \(fact).", advice: advice)
    }

    /// Others have changed what an update changes, or has read to build.
    static func updateInConflict(in scope: EnvironmentScope, _ value: ValueKey) -> ScopeError {
        let advice = "call it again, or let one task change these values."
        return update(of: scope, "is not made, because others have changed \(value.name) meanwhile", advice)
    }

    /// An update has built what a scope cannot keep any more.
    static func updateTooLate(in scope: EnvironmentScope) -> ScopeError {
        let detail = "\(scope.displayName) is closed, and it has a cleanup"
        return ScopeError(.closed, detail: detail, advice: "update a scope before it is closed.")
    }

    /// An update changes the scope itself in its closure.
    static func updateOutside(_ scope: EnvironmentScope, _ value: ValueKey) -> ScopeError {
        let advice = "change it in the scope that the closure is given: update { $0\(value.codeMember ?? "") … }."
        return update(of: scope, "changes \(value.name) in \(scope.displayName) itself, before it is made", advice)
    }

    /// An update removes or decorates.
    static func updateOnlySets(_ scope: EnvironmentScope, _ value: ValueKey, _ deed: String) -> ScopeError {
        let advice =
            "set or provide values in an update; remove or decorate them in the scope itself, before or after it."
        return update(of: scope, "\(deed) \(value.name)", advice)
    }

    /// A scope is updated in the closure of its own update.
    static func updateInUpdate(of scope: EnvironmentScope) -> ScopeError {
        let advice = "make all changes in one closure, or one update after the other."
        return update(of: scope, "is begun in the closure of another one, which is not made yet", advice)
    }

    /// An update is to build anew what the scope has not built.
    static func updateOfUnkept(_ value: ValueKey, in scope: EnvironmentScope) -> ScopeError {
        let advice = "name what the scope keeps (scope.localValue(for:)); all else is built when it is next read."
        return update(of: scope, "is to build \(value.name) anew, which that scope has not built", advice)
    }

    /// An update replaces a deferred value that was made.
    static func updateUnmakes(_ value: ValueKey, in scope: EnvironmentScope) -> ScopeError {
        let advice = "call reload, which makes it first."
        return update(of: scope, "replaces \(value.name), which was made, by one that is not made yet", advice)
    }
}
