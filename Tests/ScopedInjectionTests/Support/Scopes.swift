import ScopedInjection

/// An application, and a request below it.
func makeScopes(role: ScopeRole? = nil) -> (app: EnvironmentScope, request: EnvironmentScope) {
    let app = EnvironmentScope.empty("app", parent: nil)
    return (app, .empty("request", role: role, parent: app))
}

/// An application whose values can tell a log.
func makeLoggedApp(_ configure: (EnvironmentScope) -> Void = { _ in }) -> (app: EnvironmentScope, log: Log) {
    let log = Log()
    return (EnvironmentScope("app", parent: nil, configure).with(\.log, log), log)
}
