package import ScopedInjection

/// The port to listen on; 0 for any that is free.
package enum PortKey: ScopeKey {
    package static func makeValue(in scope: EnvironmentScope) throws -> Int {
        try scope.value(for: ConfigurationKey.self)
            .setting(["port"], mustBe: "a number from 0 to 65535") {
                Int($0).flatMap { (0...65_535).contains($0) ? $0 : nil }
            } ?? 8080
    }
}

extension EnvironmentScope {
    /// The port to listen on; 0 for any that is free.
    package var port: Int {
        get { self[PortKey.self] }
        set { self[PortKey.self] = newValue }
    }
}
