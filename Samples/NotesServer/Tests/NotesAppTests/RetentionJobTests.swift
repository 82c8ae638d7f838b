import Foundation
import MetricsTestKit
import ScopedInjection
import Testing

@testable import NotesApp

@Suite struct RetentionJobTests {
    @Test func oldNotesOfAllTenantsAreDeleted() async throws {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        let metrics = TestMetrics()
        let scope = makeTestScope {
            $0.retention = .seconds(60)
            $0.metrics = metrics
        }
        let user = TestUser.alice.account.user
        for (seconds, text) in [(-120, "old"), (-61, "just too old"), (-60, "just not"), (0, "new")] {
            scope.clock = { now.addingTimeInterval(TimeInterval(seconds)) }
            for tenant in scope.tenants.all {
                try await tenant.withChild("test", role: .request) {
                    _ = try await EnvironmentScope.current.noteStore.createNote(NoteText(text), for: user)
                    try await EnvironmentScope.current.commitTransaction()
                }
            }
        }
        await RetentionJob(in: scope).runOnce()
        for tenant in scope.tenants.all {
            let notes = try await tenant.withChild("test", role: .request) {
                try await EnvironmentScope.current.noteStore.notes(of: user)
            }
            #expect(notes.map(\.text) == ["just not", "new"])
            let counter = try metrics.expectCounter("notes_expired_total", [("tenant", tenant.tenant.name)])
            #expect(counter.totalValue == 2)
        }
        await scope.close()
    }

    @Test func withoutARetentionEverythingIsKept() async throws {
        let scope = makeTestScope {
            $0.retention = nil
            $0.clock = { Date(timeIntervalSince1970: 0) }
        }
        try await withServer(in: scope) { client in
            _ = try await client.create("old", as: .alice)
            scope.clock = { Date(timeIntervalSince1970: 1_700_000_000) }
            await RetentionJob(in: scope).runOnce()
            #expect(try await client.list(as: .alice).count == 1)
        }
    }

    @Test(arguments: [
        (0.0, 10_800.0), (10_799, 1), (10_800, 86_400), (10_801, 86_399), (86_399, 10_801), (1_700_000_000, 17_200),
    ])
    func theNextNightIsAtThree(now: TimeInterval, seconds: TimeInterval) {
        #expect(RetentionJob.pause(from: Date(timeIntervalSince1970: now)) == .seconds(seconds))
    }
}
