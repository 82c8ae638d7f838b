import ScopedInjection

struct Server: Sendable { func run() async throws {} }

func use(_ server: Server) async throws {
    try await EnvironmentScope.withScope("app") {
        // error: type 'ScopeValues' has no member 'prot'
        $0.prot = 1
    } operation: { app in
        try await app.prepare()
        // error: value of type 'Server' has no member 'rnu'
        try await server.rnu()
    }
    try await EnvironmentScope.withScope("app") {
        $0.port = 1
        // error: contextual type for closure argument list expects 1 argument, which cannot be implicitly ignored
    } operation: {
        try await server.run()
    }
}
