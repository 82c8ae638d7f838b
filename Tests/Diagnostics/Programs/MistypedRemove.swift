import ScopedInjection

func use(_ scope: EnvironmentScope) -> Int? {
    // error: type 'ScopeValues' has no member 'prot'
    scope.removeValue(for: \.prot)
}
