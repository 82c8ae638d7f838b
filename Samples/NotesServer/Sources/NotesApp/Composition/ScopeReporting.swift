import Logging
package import Metrics
package import ScopedInjection

extension EnvironmentScope {
    /// Reports to the log and to the metrics what this scope, and those below it, build, wait for and clean up.
    package func reportEvents(to metrics: any MetricsFactory = MetricsSystem.factory) {
        // Not the scope's own logger, which is one of the values whose building is reported.
        let logger = Logger(label: "notes-server.scopes")
        observe { event in
            let level: Logger.Level =
                switch event.kind {
                case .cleanupFailed, .cleanupOverdue: .error
                // Two modules provide one value, perhaps.
                case .providedTwice: .warning
                default: .debug
                }
            logger.log(level: level, "\(event)")
            let dimensions = [("value", event.name ?? "none"), ("scope", event.scope ?? "none")]
            Timer(label: "scope_\(event.kind)", dimensions: dimensions, factory: metrics)
                .record(duration: event.duration)
        }
    }
}
