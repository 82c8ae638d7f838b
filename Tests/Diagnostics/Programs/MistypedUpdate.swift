import ScopedInjection

func use(_ app: EnvironmentScope) throws {
    // error: type 'ScopeValues' has no member 'prot'
    try app.update { $0.prot = 1 }
}
