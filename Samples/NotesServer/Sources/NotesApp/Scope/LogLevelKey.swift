package import Logging
package import ScopedInjection

/// From which level on lines are written to the log.
package enum LogLevelKey: ScopeKey {
    package static func makeValue(in scope: EnvironmentScope) throws -> Logger.Level {
        try scope.value(for: ConfigurationKey.self)
            .setting(["log", "level"], mustBe: "trace, debug, info, notice, warning, error or critical") {
                Logger.Level(rawValue: $0)
            } ?? .info
    }
}

extension EnvironmentScope {
    /// From which level on lines are written to the log.
    package var logLevel: Logger.Level {
        get { self[LogLevelKey.self] }
        set { self[LogLevelKey.self] = newValue }
    }
}
