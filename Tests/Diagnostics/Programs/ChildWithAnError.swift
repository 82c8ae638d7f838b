import ScopedInjection

func use(_ scope: EnvironmentScope) async throws {
    try await scope.withChild("request") {
        $0.port = 1
    } operation: {
        // error: type 'Pool' has no member 'conect'
        try await Pool.conect("a")
    }
}
