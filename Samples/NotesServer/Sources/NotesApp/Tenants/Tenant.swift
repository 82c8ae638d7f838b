/// A customer whose users share a database that nobody else's users reach.
package struct Tenant: Hashable, Sendable, CustomStringConvertible {
    package let name: String

    /// Accepts what can name a file on every system.
    package init?(name: String) {
        guard name.wholeMatch(of: /[a-z0-9][a-z0-9-]{0,31}/) != nil else { return nil }
        self.name = name
    }

    package var description: String { name }
}
