package import ScopedInjection

/// The scopes of the tenants: each lies between the application's scope and those of the tenant's requests.
///
/// What depends on the tenant (its database, and the store built from it) is built once in the tenant's scope and shared
/// by all requests below it. Scopes are held weakly by their children, so this is what keeps them alive.
package struct Tenants: Sendable {
    private let scopes: [Tenant: EnvironmentScope]

    /// Makes one scope for each tenant.
    package init(_ tenants: Set<Tenant>, parent: EnvironmentScope) {
        scopes = Dictionary(
            uniqueKeysWithValues: tenants.map { tenant in
                (tenant, EnvironmentScope("tenant \(tenant)", role: .tenant, parent: parent) { $0.tenant = tenant })
            }
        )
    }

    /// The scope of a tenant, which must be one of those that the scopes were made for.
    package subscript(tenant: Tenant) -> EnvironmentScope {
        guard let scope = scopes[tenant] else { fatalError("There is no scope for the tenant \(tenant).") }
        return scope
    }

    /// The scopes of all tenants, in the order of their names.
    package var all: [EnvironmentScope] {
        scopes.sorted { $0.key.name < $1.key.name }.map(\.value)
    }

    /// Closes the scopes, and with them the databases.
    func close() async {
        for scope in all.reversed() { await scope.close() }
    }
}
