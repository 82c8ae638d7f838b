import ScopedInjection

extension ScopeValues {
    /// Who asks; nobody, where no request is.
    static let person = ScopeValue<String?>()
}

/// An application's scope and two requests below it, each of which has a person of its name.
func makeRequests() -> (app: EnvironmentScope, alice: EnvironmentScope, bob: EnvironmentScope) {
    let app = EnvironmentScope.empty("app", parent: nil)
    return (
        app,
        EnvironmentScope("alice", parent: app) { $0.person = "alice" },
        EnvironmentScope("bob", parent: app) { $0.person = "bob" }
    )
}
