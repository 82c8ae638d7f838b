import ScopedInjection

func use(_ scope: EnvironmentScope) {
    // error: type 'ScopeValues' has no member 'prot'
    scope.provide(\.prot) { _ in 1 }
}
