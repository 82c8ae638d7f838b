import ScopedInjection

func use(_ scope: EnvironmentScope) {
    // error: cannot assign value of type 'String' to type 'Int'
    scope.port = "8080"
}
