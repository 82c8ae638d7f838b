import ScopedInjection

func use(_ scope: EnvironmentScope) {
    // error: type 'ScopeValues' has no member 'falg'
    scope.provide({ $0.falg("beta") }) { _ in true }
}
