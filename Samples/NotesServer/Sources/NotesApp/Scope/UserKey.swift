package import ScopedInjection

/// The user on whose behalf the request is made; nil where the request names none.
package enum UserKey: ScopeKey {
    package typealias Value = User?
}

extension EnvironmentScope {
    /// The user on whose behalf the request is made; nil where the request names none.
    package var user: User? {
        get { self[UserKey.self] }
        set { self[UserKey.self] = newValue }
    }
}
