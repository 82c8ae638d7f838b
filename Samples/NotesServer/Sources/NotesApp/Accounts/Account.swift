/// Who may use the server, and for which tenant.
package struct Account: Sendable {
    package let user: User
    package let tenant: Tenant
    let token: TokenDigest

    package init(user: User, tenant: Tenant, token: TokenDigest) {
        self.user = user
        self.tenant = tenant
        self.token = token
    }
}
