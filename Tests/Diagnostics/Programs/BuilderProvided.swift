import ScopedInjection

func use(_ scope: EnvironmentScope) {
    scope.provide(\.databasePath) {
        // error: cannot convert value of type 'Int' to closure result type 'String'
        try $0.port
    }
}
