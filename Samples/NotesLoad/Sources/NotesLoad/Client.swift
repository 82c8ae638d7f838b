import Foundation

/// A user of the server under load, with the token to prove it.
struct Client: Sendable, Hashable {
    let user: String
    let tenant: String
    let token: String

    /// A hundred users, half of them in each of two tenants.
    static func population() -> [Client] {
        (0..<100).map { number in
            // The same names in both tenants, so that a mix-up of tenants would find a user.
            Client(user: "user\(number / 2)", tenant: ["north", "south"][number % 2], token: UUID().uuidString)
        }
    }

    /// The file of accounts that makes these users known to a server.
    static func accountsFile(_ clients: [Client]) throws -> Data {
        try JSONEncoder().encode(
            clients.map {
                ["user": $0.user, "tenant": $0.tenant, "tokenSHA256": tokenDigest($0.token)]
            }
        )
    }
}
