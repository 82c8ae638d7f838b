import ScopedInjection

func use(_ scope: EnvironmentScope) -> Int {
    // error: value of type 'EnvironmentScope' has no dynamic member 'prot' using key path from root type 'ScopeValues'
    scope.prot
}
