import ScopedInjection

func use(_ scope: EnvironmentScope) throws -> Int {
    // error: cannot convert value of type 'KeyPath<Root, Value>' to expected argument type 'ScopeValue<Int>'
    try scope.value(for: \.prot)
}
