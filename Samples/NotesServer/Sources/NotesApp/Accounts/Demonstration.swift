/// Three accounts whose tokens everybody knows, for a server that is tried out.
package enum Demonstration {
    /// The only address that such a server listens on.
    static let hostname = "127.0.0.1"

    private static let members = [
        (user: "alice", tenant: "north"), (user: "bob", tenant: "north"), (user: "alice", tenant: "south"),
    ]

    static var accounts: Accounts {
        Accounts(
            members.compactMap { member in
                guard let user = User(name: member.user), let tenant = Tenant(name: member.tenant) else { return nil }
                return Account(user: user, tenant: tenant, token: TokenDigest(of: token(member.user, member.tenant)))
            }
        )
    }

    private static func token(_ user: String, _ tenant: String) -> String { "\(user)-\(tenant)-secret" }

    /// Says who may use the server, and how.
    package static func instructions(port: Int) -> String {
        let accounts = members.map { "  \(token($0.user, $0.tenant))   \($0.user) of the tenant \($0.tenant)" }
        let alice = token("alice", "north")
        return """
            No accounts file was given, so this is a demonstration. Everybody knows its tokens:
            \(accounts.joined(separator: "\n"))
            Try it:
            curl \(hostname):\(port)/notes -H 'Authorization: Bearer \(alice)' -d '{"text": "milk"}'
            """
    }
}
