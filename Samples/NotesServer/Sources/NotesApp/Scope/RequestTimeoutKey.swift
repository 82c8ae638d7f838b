package import ScopedInjection

/// How long a request may take before it is cancelled.
package enum RequestTimeoutKey: ScopeKey {
    package static func makeValue(in scope: EnvironmentScope) throws -> Duration {
        try scope.value(for: ConfigurationKey.self)
            .setting(["request", "timeout"], mustBe: "a number of seconds from 1 to 3600") {
                Int($0).flatMap { (1...3600).contains($0) ? .seconds($0) : nil }
            } ?? .seconds(10)
    }
}

extension EnvironmentScope {
    /// How long a request may take before it is cancelled.
    package var requestTimeout: Duration {
        get { self[RequestTimeoutKey.self] }
        set { self[RequestTimeoutKey.self] = newValue }
    }
}
