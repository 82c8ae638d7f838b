import ScopedInjection

extension ScopeValues {
    var limit: ScopeValue<Int> { .value(100) }
    static var twice: ScopeValue<Int> {
        // error: instance member 'limit' cannot be used on type 'ScopeValues'
        .lazy { try 2 * $0.limit }
    }
}

func use(_ scope: EnvironmentScope) {
    // error: instance member 'limit' cannot be used on type 'ScopeValues'
    print(scope.limit)
}
