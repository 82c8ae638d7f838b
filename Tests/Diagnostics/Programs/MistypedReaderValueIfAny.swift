import ScopedInjection

func use(_ scope: EnvironmentScope) {
    // error: type 'ScopeValues' has no member 'prot'
    scope.provide(\.databasePath) { "\(try $0.valueIfAny(for: \.prot) ?? 1)" }
}
