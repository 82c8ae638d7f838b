import ScopedInjection

func use(_ scope: EnvironmentScope) async throws {
    // error: could not infer pack element #1 from context
    // error: type 'ScopeValues' has no member 'prot'
    try await scope.prepare(\.port, \.prot)
}
