import ScopedInjection

func use(_ scope: EnvironmentScope) -> Int? {
    // error: cannot convert value of type 'KeyPath<Root, Value>' to expected argument type 'ScopeValue<Int>'
    scope.removeValue(for: \.prot)
}
