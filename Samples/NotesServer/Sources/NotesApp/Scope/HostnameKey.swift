package import ScopedInjection

/// The address to listen on.
package enum HostnameKey: ScopeKey {
    package static func makeValue(in scope: EnvironmentScope) throws -> String {
        try scope.value(for: ConfigurationKey.self)
            .setting(["hostname"], mustBe: "an address") { $0.isEmpty ? nil : $0 } ?? "127.0.0.1"
    }
}

extension EnvironmentScope {
    /// The address to listen on.
    package var hostname: String {
        get { self[HostnameKey.self] }
        set { self[HostnameKey.self] = newValue }
    }
}
