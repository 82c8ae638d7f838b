import ScopedInjection

func use(_ scope: EnvironmentScope) {
    // error: type 'ScopeValues' has no member 'prot'
    scope.modify(\.prot) { $0 += 1 }
}
