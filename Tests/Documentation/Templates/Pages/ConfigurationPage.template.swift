import ScopedInjection
import Testing

@Suite("Documentation: configuration")
struct ConfigurationPage {
    @Test("A configuration that is set again builds the pool anew, also for requests under way")
    func reload() throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        #expect(request.pool.size == 5)

        // ⟨Configuration.md: try app.update⟩
        #expect(app.pool === request.pool)
    }
}
