package import Configuration
package import ScopedInjection

/// Where settings are read from.
///
/// It has no default: only the live application reads settings; a test sets values.
package enum ConfigurationKey: ScopeKey {
    package typealias Value = ConfigReader
}

extension EnvironmentScope {
    /// Where settings are read from.
    package var configuration: ConfigReader {
        get { self[ConfigurationKey.self] }
        set { self[ConfigurationKey.self] = newValue }
    }
}
