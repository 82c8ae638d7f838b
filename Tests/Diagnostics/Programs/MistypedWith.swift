import ScopedInjection

func use(_ scope: EnvironmentScope) {
    // error: cannot convert value of type 'KeyPath<Root, Value>' to expected argument type 'ScopeValue<Int>'
    scope.with(\.prot, 1)
}
