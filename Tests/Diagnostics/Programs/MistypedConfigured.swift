import ScopedInjection

func make() -> EnvironmentScope {
    // error: type 'ScopeValues' has no member 'prot'
    EnvironmentScope("app") { $0.prot = 8080 }
}
