package import ScopedInjection

/// How long notes are kept; nil for ever.
package enum RetentionKey: ScopeKey {
    package static func makeValue(in scope: EnvironmentScope) throws -> Duration? {
        try scope.value(for: ConfigurationKey.self)
            .setting(["retention", "days"], mustBe: "a number of days from 1 to 36500") {
                Int($0).flatMap { (1...36_500).contains($0) ? .seconds($0 * 24 * 60 * 60) : nil }
            }
    }
}

extension EnvironmentScope {
    /// How long notes are kept; nil for ever.
    package var retention: Duration? {
        get { self[RetentionKey.self] }
        set { self[RetentionKey.self] = newValue }
    }
}
