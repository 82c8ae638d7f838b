package import ScopedInjection

/// The id of the request being answered; nil outside a request.
package enum RequestIDKey: ScopeKey {
    package typealias Value = RequestID?
}

extension EnvironmentScope {
    /// The id of the request being answered; nil outside a request.
    package var requestID: RequestID? {
        get { self[RequestIDKey.self] }
        set { self[RequestIDKey.self] = newValue }
    }
}
