import ScopedInjection

func make() throws -> EnvironmentScope {
    try EnvironmentScope("app") {
        $0.port = 1
        // error: incorrect argument label in call (have 'pth:', expected 'path:')
        $0.database = try SQLite(pth: "a")
    }
}
