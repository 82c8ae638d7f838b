import ScopedInjection

extension EnvironmentScope {
    /// The user; nil in the scope of a request that is not authenticated.
    var userIfAny: User? { try? valueIfAny(for: \.user) }

    /// The id of the request; nil outside of any, and where no default is allowed.
    var requestIDIfAny: RequestID? { try? valueIfAny(for: \.requestID) ?? nil }

    /// The tenant; nil in the scope of a request that is not authenticated.
    var tenantIfAny: Tenant? { try? valueIfAny(for: \.tenant) }
}
