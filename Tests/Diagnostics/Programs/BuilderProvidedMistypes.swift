import ScopedInjection

func use(_ scope: EnvironmentScope) {
    // error: type 'ScopeValues' has no member 'databasePth'
    scope.provide(\.databasePath) { try $0.databasePth }
}
