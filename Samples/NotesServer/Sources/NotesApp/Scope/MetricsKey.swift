package import Metrics
package import ScopedInjection

/// Where counts and times are reported.
package enum MetricsKey: ScopeKey {
    package static var defaultValue: any MetricsFactory { MetricsSystem.factory }
}

extension EnvironmentScope {
    /// Where counts and times are reported.
    package var metrics: any MetricsFactory {
        get { self[MetricsKey.self] }
        set { self[MetricsKey.self] = newValue }
    }
}
