import ScopedInjection

extension EnvironmentScope {
    /// The user; nil in the scope of a request that is not authenticated.
    var userIfAny: User? { try? valueIfAny(for: \.user) }

    /// The tenant; nil in the scope of a request that is not authenticated.
    var tenantIfAny: Tenant? { try? valueIfAny(for: \.tenant) }
}
