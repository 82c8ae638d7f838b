import ScopedInjection

func use(_ scope: EnvironmentScope) throws -> Int {
    // error: type 'ScopeValues' has no member 'prot'
    try scope.value(for: \.prot)
}
