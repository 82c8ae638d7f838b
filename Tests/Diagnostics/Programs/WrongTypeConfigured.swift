import ScopedInjection

func make() -> EnvironmentScope {
    // error: cannot assign value of type 'String' to type 'Int'
    EnvironmentScope("app") { $0.port = "8080" }
}
