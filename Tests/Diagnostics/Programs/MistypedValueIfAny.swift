import ScopedInjection

func use(_ scope: EnvironmentScope) throws {
    // error: type 'ScopeValues' has no member 'prot'
    print(try scope.valueIfAny(for: \.prot) as Any)
}
