import ScopedInjection

func use(_ scope: EnvironmentScope) async {
    // error: could not infer pack element #1 from context
    // error: type 'ScopeValues' has no member 'prot'
    await scope.discardBuiltValues(\.port, \.prot)
}
