import ScopedInjection

func use(_ scope: EnvironmentScope) throws -> Int {
    // error: x
    try scope.value(for: ScopeValues.port)
}
