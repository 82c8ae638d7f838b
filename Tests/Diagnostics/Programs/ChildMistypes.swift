import ScopedInjection

struct Job: Sendable { func run() async throws -> Int { 1 } }

func use(_ scope: EnvironmentScope, _ job: Job) async throws {
    // error: value of type 'Job' has no member 'rnu'
    let alone = try await scope.withChild("job") { try await job.rnu() }
    let configured = try await scope.withChild("job") {
        $0.port = 1
    } operation: {
        // error: value of type 'Job' has no member 'rnu'
        try await job.rnu()
    }
    await scope.withChild("job") {
        // error: type 'ScopeValues' has no member 'prot'
        $0.prot = 1
    } operation: {
        // error: type 'ScopeValues' has no member 'prot'
        print(EnvironmentScope.current.prot)
    }
    // error: contextual closure type '() async throws -> ()' expects 0 arguments, but 1 was used in closure body
    await scope.withChild("job") { child in print(child.port) }
    print(alone, configured)
}
