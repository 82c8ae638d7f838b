import ScopedInjection

func use(_ scope: EnvironmentScope) throws {
    // error: could not infer pack element #1 from context
    // error: type 'ScopeValues' has no member 'prot'
    try scope.validate(\.port, \.prot)
}
