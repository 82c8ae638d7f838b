package import AsyncHTTPClient
package import ScopedInjection

/// The client for requests to other services.
///
/// It has no default: a test does not reach other services by accident.
package enum HTTPClientKey: ScopeKey {
    package typealias Value = HTTPClient
}

extension EnvironmentScope {
    /// The client for requests to other services.
    package var httpClient: HTTPClient {
        get { self[HTTPClientKey.self] }
        set { self[HTTPClientKey.self] = newValue }
    }
}
