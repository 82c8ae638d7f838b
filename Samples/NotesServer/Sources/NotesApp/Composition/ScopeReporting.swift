import Logging
package import Metrics
package import ScopedInjection

extension EnvironmentScope {
    /// Reports to the log and to the metrics what this scope, and those below it, build, wait for and clean up.
    package func reportEvents(to metrics: any MetricsFactory = MetricsSystem.factory) {
        // Not the scope's own logger, which is one of the values whose building is reported.
        let logger = Logger(label: "notes-server.scopes")
        observe { event in
            logger.debug("\(event)")
            // The type, and not what texts call the value: that names the line where it is declared, and lines move.
            let dimensions = [
                ("type", event.valueType ?? "none"), ("scope", event.scope),
            ]
            let timer = Timer(
                label: "scope_\(event.kind)",
                dimensions: dimensions,
                factory: metrics
            )
            timer.record(duration: event.duration)
        }
    }
}
