import NotesApp
import Testing

/// A user that tests send requests as.
struct TestUser: Hashable, Sendable, CustomTestStringConvertible {
    let name: String
    let tenant: String

    /// Two users of one tenant, and one of another who is called like the first.
    static let alice = TestUser(name: "alice", tenant: "north")
    static let bob = TestUser(name: "bob", tenant: "north")
    static let southernAlice = TestUser(name: "alice", tenant: "south")

    /// These, and twenty more for the tests with many requests at once.
    static let all = [alice, bob, southernAlice] + many
    static let many = (0..<20).map { TestUser(name: "user\($0)", tenant: ["north", "south"][$0 % 2]) }

    /// The token that proves it.
    var token: String { "token-of-\(name)-in-\(tenant)" }

    var account: Account {
        guard let user = User(name: name), let tenant = Tenant(name: tenant) else { fatalError("No such account.") }
        return Account(user: user, tenant: tenant, token: TokenDigest(of: token))
    }

    var testDescription: String { "\(name) in \(tenant)" }
}
