import ScopedInjection

func use(_ app: EnvironmentScope) throws {
    // error: could not infer pack element #0 from context
    // error: type 'ScopeValues' has no member 'prot'
    try app.update(rebuilding: \.prot) { $0.port = 1 }
}
