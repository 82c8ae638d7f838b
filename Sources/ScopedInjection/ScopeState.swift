/// What a scope guards with its mutex: its place in the tree, and what is rarely used.
struct ScopeState: Sendable {
    /// The kinds of parent a scope can have.
    enum Link: Sendable { case none, global, scope, builder }

    var link: Link
    weak var parent: EnvironmentScope?
    /// A builder's scope that is the parent; it owns nothing, so it may be held.
    var builderScope: EnvironmentScope?
    /// Names the parent in errors after it is gone.
    var parentName: String?
    /// A new parent of a scope that is in force: held until the scope no longer is.
    var heldParent: Anchor?
    /// Held by the scopes that read through this one.
    var lineage: Lineage?
    /// The lineage of the parent this scope reads through.
    var followed: Lineage?
    /// The builds in progress that this scope might keep the values of.
    var builds: [Build] = []
    var observers: [@Sendable (ScopeEvent) -> Void] = []
    var closing = Closing()

    init(parent: EnvironmentScope?) {
        switch parent?.role {
        case nil:
            link = .none
        case .builder:
            link = .builder
            builderScope = parent
        case .global:
            link = .global
        case .scope where parent?.isGlobal == true:
            link = .global
        case .scope:
            link = .scope
            self.parent = parent
            parentName = parent?.name
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
