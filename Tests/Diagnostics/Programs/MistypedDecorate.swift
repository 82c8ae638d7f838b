import ScopedInjection

func use(_ scope: EnvironmentScope) throws {
    // error: type 'ScopeValues' has no member 'prot'
    scope.decorate(\.prot) { inherited, _ in inherited }
}
