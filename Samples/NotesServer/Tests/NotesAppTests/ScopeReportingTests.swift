import MetricsTestKit
import NotesApp
import ScopedInjection
import Testing

@Suite struct ScopeReportingTests {
    @Test func buildsAndCleanupsAreTimedByValueAndScope() async throws {
        let metrics = TestMetrics()
        let scope = makeTestScope()
        scope.reportEvents(to: metrics)
        let tenant = scope.tenants[try #require(Tenant(name: "north"))]
        let store = try tenant.value(for: \.noteStore)
        #expect(try tenant.value(for: \.noteStore) === store)

        let built = try metrics.expectTimer("scope_built", [("value", "noteStore"), ("scope", "tenant north")])
        #expect(built.values.count == 1)
        await tenant.close()
        let cleanedUp = try metrics.expectTimer("scope_cleanedUp", [("value", "database"), ("scope", "tenant north")])
        #expect(cleanedUp.values.count == 1)
    }
}
