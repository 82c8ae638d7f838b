import ScopedInjection

func use(_ scope: EnvironmentScope) {
    scope.provide(\.databasePath) { scope in
        // error: cannot convert value of type 'Int' to closure result type 'String'
        scope.port
    }
}
