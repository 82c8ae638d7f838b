import Crypto
package import Foundation

/// The accounts of all tenants.
package struct Accounts: Sendable {
    private let accounts: [Account]

    package init(_ accounts: [Account]) { self.accounts = accounts }

    /// The tenants that have users.
    package var tenants: Set<Tenant> { Set(accounts.map(\.tenant)) }

    /// The account that a bearer token belongs to.
    ///
    /// Looks at every account to the end, so that the time taken tells nothing. That does for some thousands;
    /// with more, let the token begin with an id to look up, and compare the rest like this.
    package func account(forToken token: String) -> Account? {
        let presented = SHA256.hash(data: Array(token.utf8))
        var found: Account?
        for account in accounts where account.token.matches(presented) { found = account }
        return found
    }
}

extension Accounts {
    /// Reads accounts from a file of JSON.
    ///
    /// - Throws: ``SettingError`` where the file cannot be used
    init(file path: String) throws(SettingError) {
        do {
            try self.init(json: Data(contentsOf: URL(filePath: path)))
        } catch let error as AccountsError {
            throw SettingError(variable: "NOTES_ACCOUNTS_FILE", problem: "cannot be used: in '\(path)', \(error).")
        } catch {
            throw SettingError(variable: "NOTES_ACCOUNTS_FILE", problem: "cannot be read: '\(path)'.")
        }
    }

    /// Reads accounts from JSON: `[{"user": "alice", "tenant": "north", "tokenSHA256": "…"}, …]`.
    ///
    /// - Throws: ``AccountsError``, with the first thing that is wrong
    package init(json: Data) throws {
        let entries: [Entry]
        do {
            entries = try JSONDecoder().decode([Entry].self, from: json)
        } catch {
            throw AccountsError(description: "it is not a JSON array of user, tenant and tokenSHA256")
        }
        guard !entries.isEmpty else { throw AccountsError(description: "there is no account in it") }
        accounts = try entries.map { try $0.account() }
    }

    private struct Entry: Decodable {
        let user: String
        let tenant: String
        let tokenSHA256: String

        func account() throws(AccountsError) -> Account {
            guard let user = User(name: user) else { throw AccountsError(description: "'\(user)' cannot name a user") }
            guard let tenant = Tenant(name: tenant) else {
                throw AccountsError(description: "'\(tenant)' cannot name a tenant")
            }
            guard let token = TokenDigest(hexadecimal: tokenSHA256) else {
                throw AccountsError(description: "the tokenSHA256 of \(user) is not 64 hexadecimal digits")
            }
            return Account(user: user, tenant: tenant, token: token)
        }
    }
}

/// Says what is wrong with a file of accounts.
package struct AccountsError: Error, CustomStringConvertible {
    package let description: String
}
