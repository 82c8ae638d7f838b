package import ScopedInjection

/// The user on whose behalf the request is made, or the work that a request has started.
///
/// It has no default: what is done for nobody in particular must not be done for somebody.
package enum UserKey: ScopeKey {
    package typealias Value = User
}

extension EnvironmentScope {
    /// The user on whose behalf the request is made, or the work that a request has started.
    package var user: User {
        get { self[UserKey.self] }
        set { self[UserKey.self] = newValue }
    }

    /// The user, or nil where there is none: in the scope of a request that is not authenticated.
    package var userIfAny: User? { try? value(for: UserKey.self) }
}
