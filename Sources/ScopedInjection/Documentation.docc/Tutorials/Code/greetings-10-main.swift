import ScopedInjection

@main
struct Greetings {
    static func main() async throws {
        try await EnvironmentScope.withScope("app", role: .application) {
            $0.greeting = "Welcome"
        } operation: { app in
            try await app.prepare(\.greeter)
            try await makeServer(in: app).runService()
        }
    }
}
