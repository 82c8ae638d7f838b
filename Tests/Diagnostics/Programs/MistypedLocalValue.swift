import ScopedInjection

func use(_ scope: EnvironmentScope) throws {
    // error: generic parameter 'Value' could not be inferred
    // error: type 'ScopeValues' has no member 'prot'
    print(scope.localValue(for: \.prot) as Any)
}
