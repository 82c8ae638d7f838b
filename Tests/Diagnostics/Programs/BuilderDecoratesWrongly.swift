import ScopedInjection

func use(_ scope: EnvironmentScope) {
    // error: cannot convert value of type 'Int' to expected argument type 'String'
    scope.decorate(\.databasePath) { path, reader in try path + reader.port }
}
