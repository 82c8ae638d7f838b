/// A user of the server, known by name.
package struct User: Hashable, Sendable, CustomStringConvertible {
    package let name: String

    /// Accepts plain ASCII names only.
    ///
    /// Bytes of a header that are not UTF-8 are read as replacement characters, which would make one user of two.
    package init?(name: String) {
        guard name.wholeMatch(of: /[A-Za-z0-9._@-]{1,64}/) != nil else { return nil }
        self.name = name
    }

    package var description: String { name }
}
