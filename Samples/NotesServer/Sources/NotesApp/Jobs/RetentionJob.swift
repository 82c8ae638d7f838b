import Foundation
import Logging
import Metrics
package import ScopedInjection
import ServiceLifecycle

/// Deletes old notes every night, tenant by tenant.
package struct RetentionJob: Service {
    private let applicationScope: EnvironmentScope

    package init(in applicationScope: EnvironmentScope) { self.applicationScope = applicationScope }

    /// Works every night at three (UTC) until the server stops; a night's work that is under way is finished first.
    package func run() async throws {
        while true {
            let pause = Self.pause(from: applicationScope.clock())
            do {
                try await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }
            } catch is CancellationError {
                return
            }
            if Task.isShuttingDownGracefully { return }
            await runOnce()
            // A database that is closed is one file, for the backup of the night.
            let tenants = applicationScope.tenants
            for scope in tenants.all { await tenants.evict(scope.tenant) }
        }
    }

    /// Does the work of one night: one scope and one transaction for each tenant, so that what fails for one is done for
    /// the others.
    package func runOnce() async {
        guard let retention = applicationScope.retention else { return }
        for tenantScope in applicationScope.tenants.all {
            do {
                try await tenantScope.withChild("retention", role: .request) { scope in
                    scope.logger[metadataKey: "job"] = "retention"
                    scope.logger[metadataKey: "tenant"] = "\(scope.tenant)"
                } operation: {
                    try await EnvironmentScope.current.deleteNotes(olderThan: retention)
                }
            } catch {
                tenantScope.logger.error("old notes not deleted", metadata: ["error": "\(error)"])
            }
        }
    }

    /// How long it is until the next time it is three o'clock.
    static func pause(from now: Date) -> Duration {
        let day = 24 * 60 * 60
        let second = Int(now.timeIntervalSince1970) % day
        return .seconds((3 * 60 * 60 - second + day - 1) % day + 1)
    }
}

extension EnvironmentScope {
    fileprivate func deleteNotes(olderThan retention: Duration) async throws {
        let date = self.clock().addingTimeInterval(-TimeInterval(retention.components.seconds))
        let count = try await self.noteStore.deleteNotes(createdBefore: date)
        try await commitTransaction()
        self.logger.info("old notes deleted", metadata: ["count": "\(count)"])
        Counter(
            label: "notes_expired_total",
            dimensions: [("tenant", self.tenant.name)],
            factory: self.metrics
        )
        .increment(by: count)
    }
}
