package import ScopedInjection

/// The tenant whose scope this is, or in whose scope this one lies.
///
/// It has no default: outside a tenant's scope there is no database to be had.
package enum TenantKey: ScopeKey {
    package typealias Value = Tenant
}

extension EnvironmentScope {
    /// The tenant whose scope this is, or in whose scope this one lies.
    package var tenant: Tenant {
        get { self[TenantKey.self] }
        set { self[TenantKey.self] = newValue }
    }

    /// The tenant, or nil where this scope lies in no tenant's: in that of a request that is not authenticated.
    package var tenantIfAny: Tenant? { try? value(for: TenantKey.self) }
}
