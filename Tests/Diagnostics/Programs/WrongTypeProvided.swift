import ScopedInjection

func use(_ scope: EnvironmentScope) {
    // error: cannot convert value of type 'String' to closure result type 'Int'
    scope.provide(\.port) { _ in "8080" }
}
