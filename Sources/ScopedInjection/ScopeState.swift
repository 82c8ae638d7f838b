/// What a scope guards with its mutex, beside the changing of its table and its parent.
struct ScopeState: ~Copyable, Sendable {
    /// Held by the scopes that read through this one.
    var lineage: Lineage?
    /// The lineage of the parent this scope reads through.
    var followed: Lineage?
    /// Whether the scope has been closed.
    var isClosed = false

    /// What few scopes have; nil until one of it is needed.
    private(set) var rare: Rare?

    /// Apart, so that a request that has none of it is made without it.
    final class Rare: @unchecked Sendable {
        // Sendable because it is reached through its scope's mutex only.

        /// A new parent of a scope that is in force: held until the scope no longer is.
        var heldParent: Anchor?
        /// The builds in progress that this scope might keep the values of.
        var builds: [Build] = []
        var observers: [@Sendable (ScopeEvent) -> Void] = []
        var closing = Closing()
    }

    /// What few scopes have, made where the scope has none of it.
    mutating func makeRare() -> Rare {
        if let rare { return rare }
        let made = Rare()
        rare = made
        return made
    }

    var isFollowed: Bool {
        mutating get { lineage.isShared }
    }
}
