import ScopedInjection

func use(_ scope: EnvironmentScope) {
    // error: cannot convert value of type 'String' to expected argument type 'Int'
    scope.with(\.port, "8080")
}
