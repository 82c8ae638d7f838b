import ScopedInjection

func use(_ scope: EnvironmentScope) {
    // error: cannot convert value of type 'KeyPath<Root, Value>' to expected argument type 'ScopeValue<Value>'
    scope.removeValue(for: \.prot)
}
