import HTTPTypes
import HummingbirdTesting
import MetricsTestKit
import NotesApp
import ScopedInjection
import Testing

@Suite struct MetricsTests {
    @Test func requestsAreCountedByRouteStatusAndTenant() async throws {
        let metrics = TestMetrics()
        try await withServer(.ahc(), configure: { $0.metrics = metrics }) { client in
            for _ in 0..<3 { _ = try await client.send(.get, "/notes/7", as: .alice) }
            _ = try await client.send(.get, "/notes", as: .southernAlice)
            _ = try await client.send(.get, "/notes")
        }
        for (route, status, tenant, count) in [
            ("/notes/{id}", "404", "north", 3), ("/notes", "200", "south", 1), ("/notes", "401", "none", 1),
        ] {
            let dimensions = [("route", route), ("status", status), ("tenant", tenant)]
            #expect(try metrics.expectCounter("http_requests_total", dimensions).totalValue == Int64(count))
            #expect(try metrics.expectTimer("http_request_duration", dimensions).values.count == count)
        }
    }

    @Test func serversWithMetricsOfTheirOwnShareNone() async throws {
        let (first, second) = (TestMetrics(), TestMetrics())
        try await withServer(.ahc(), configure: { $0.metrics = first }) { _ = try await $0.send(.get, "/health") }
        try await withServer(.ahc(), configure: { $0.metrics = second }) { _ = try await $0.send(.get, "/nothing") }
        #expect(first.counters.count == 1)
        #expect(second.counters.count == 1)
        #expect(throws: (any Error).self) {
            try first.expectCounter(
                "http_requests_total",
                [("route", "none"), ("status", "404"), ("tenant", "none")]
            )
        }
    }
}
