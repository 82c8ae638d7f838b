package import ScopedInjection

/// The scopes of the tenants that have users.
///
/// Kept by the application's scope, and closed with it.
package enum TenantsKey: ScopeKey {
    package static func makeValue(in scope: EnvironmentScope) throws -> Tenants {
        let tenants = Tenants(try scope.value(for: AccountsKey.self).tenants, parent: scope)
        scope.onClose { await tenants.close() }
        return tenants
    }
}

extension EnvironmentScope {
    /// The scopes of the tenants that have users.
    package var tenants: Tenants {
        get { self[TenantsKey.self] }
        set { self[TenantsKey.self] = newValue }
    }
}
