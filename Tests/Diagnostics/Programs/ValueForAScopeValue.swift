import ScopedInjection

func use(_ scope: EnvironmentScope) throws -> Int {
    // error: cannot convert value of type 'ScopeValue<Int>' to expected argument type '(ScopeValues.Type) -> ScopeValue<Int>'
    try scope.value(for: ScopeValues.port)
}
