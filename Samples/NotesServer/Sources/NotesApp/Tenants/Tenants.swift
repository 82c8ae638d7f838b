package import ScopedInjection
import Synchronization

/// The scopes of the tenants: each lies between the application's scope and those of the tenant's requests.
///
/// What depends on the tenant (its database, and the store built from it) is built once in the tenant's scope and shared
/// by all requests below it. Scopes are held weakly by their children, so this is what keeps them alive.
package final class Tenants: Sendable {
    private let scopes: Mutex<[Tenant: EnvironmentScope]>

    /// Makes one scope for each tenant.
    package init(_ tenants: Set<Tenant>, parent: EnvironmentScope) {
        let scopes = tenants.map { ($0, Self.makeScope(of: $0, parent: parent)) }
        self.scopes = Mutex(Dictionary(uniqueKeysWithValues: scopes))
    }

    private static func makeScope(of tenant: Tenant, parent: EnvironmentScope) -> EnvironmentScope {
        EnvironmentScope("tenant \(tenant)", role: .tenant, parent: parent) { $0.tenant = tenant }
    }

    /// The scope of a tenant, which must be one of those that the scopes were made for.
    package subscript(tenant: Tenant) -> EnvironmentScope {
        guard let scope = scopes.withLock({ $0[tenant] }) else {
            fatalError("There is no scope for the tenant \(tenant).")
        }
        return scope
    }

    /// The scopes of all tenants, in the order of their names.
    package var all: [EnvironmentScope] {
        scopes.withLock { $0 }.sorted { $0.key.name < $1.key.name }.map(\.value)
    }

    /// Closes a tenant's scope, and with it the database, once the requests have left that run in it.
    ///
    /// The tenant's next request has another scope.
    package func evict(_ tenant: Tenant) async {
        let evicted = self[tenant]
        guard let application = evicted.parent else { return }
        scopes.withLock { $0[tenant] = Self.makeScope(of: tenant, parent: application) }
        await evicted.close()
    }
}
