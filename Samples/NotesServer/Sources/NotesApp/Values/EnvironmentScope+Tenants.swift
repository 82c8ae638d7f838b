package import ScopedInjection

extension EnvironmentScope {
    /// Makes this scope the application's: it keeps one scope for each tenant that has an account, and closes them.
    package func provideTenants() {
        // The scopes are children of this scope, which does not keep itself alive for that.
        provide(\.tenants) { [unowned self] reader in
            let tenants = Tenants(try reader.accounts.tenants, parent: self)
            reader.onClose { await tenants.close() }
            return tenants
        }
    }
}
