/// What a scope guards with its mutex: its place in the tree, and what is rarely used.
struct ScopeState: ~Copyable, Sendable {
    /// The kinds of parent a scope can have.
    enum Link: Sendable { case none, global, scope, builder }

    private(set) var link = Link.none
    private weak var parent: EnvironmentScope?
    /// Names the parent in errors after it is gone.
    private(set) var parentName: String?
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

        /// A builder's scope that is the parent; it owns nothing, so it may be held.
        fileprivate(set) var builderScope: EnvironmentScope?
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

    var builderScope: EnvironmentScope? { rare?.builderScope }

    /// Puts a scope that stands alone below another one.
    mutating func attach(to newParent: EnvironmentScope) {
        switch newParent.role {
        case .builder:
            link = .builder
            makeRare().builderScope = newParent
        case .global:
            link = .global
        case .scope where newParent.isGlobal:
            link = .global
        case .scope:
            link = .scope
            parent = newParent
            parentName = newParent.name
        }
    }

    /// Lets the scope stand alone.
    mutating func detach() {
        link = .none
        parent = nil
        rare?.builderScope = nil
        parentName = nil
    }

    /// Whether there is a parent that is not always alive.
    var hasParentToKeep: Bool { link == .scope || link == .builder }

    /// The parent, where it has to be kept alive for the scope to be of use.
    var parentToKeep: EnvironmentScope? {
        switch link {
        case .none, .global: nil
        case .scope: parent
        case .builder: builderScope?.standIn
        }
    }

    /// One step outwards; nil for whichever scope is global.
    var nextButGlobal: NextScope? {
        switch link {
        case .none: .some(.none)
        case .global: nil
        case .scope: parent.map { .scope($0) } ?? .gone
        case .builder: builderScope?.standIn.map { .scope($0) } ?? .gone
        }
    }

    var isFollowed: Bool {
        mutating get { lineage.isShared }
    }
}
