import ScopedInjection

extension ScopeValues {
    var limit: ScopeValue<Int> { .value(100) }
}

func use(_ scope: EnvironmentScope) throws {
    // error: instance member 'limit' cannot be used on type 'ScopeValues'
    try scope.validate(\.limit)
}
