package import Logging
package import ScopedInjection

/// The logger of the application, and in the scope of a request one that carries the request's id.
package enum LoggerKey: ScopeKey {
    package static func makeValue(in scope: EnvironmentScope) throws -> Logger {
        var logger = Logger(label: "notes-server")
        logger.logLevel = try scope.value(for: LogLevelKey.self)
        return logger
    }
}

extension EnvironmentScope {
    /// The logger of what runs in this scope.
    package var logger: Logger {
        get { self[LoggerKey.self] }
        set { self[LoggerKey.self] = newValue }
    }
}
