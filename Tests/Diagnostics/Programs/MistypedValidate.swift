import ScopedInjection

func use(_ scope: EnvironmentScope) throws {
    // The second error names it: type 'ScopeValues' has no member 'prot'.
    // error: could not infer pack element #1 from context
    try scope.validate(\.port, \.prot)
}
