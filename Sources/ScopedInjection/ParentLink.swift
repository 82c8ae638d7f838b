/// What a scope knows of its parent.
///
/// Read under a line of the scope's reader locks, and changed under its mutex and all lines that may be reading.
struct ParentLink: ~Copyable {
    /// The kinds of parent a scope can have.
    private enum Kind { case none, global, scope, builder }

    private var kind = Kind.none
    private weak var scope: EnvironmentScope?
    /// A builder's scope that is the parent; it owns nothing, so it may be held.
    private var builderScope: EnvironmentScope?
    /// Names the parent in errors after it is gone.
    private(set) var name: String?

    /// Puts a scope that stands alone below another one.
    mutating func attach(to parent: EnvironmentScope) {
        switch parent.role {
        case .builder:
            kind = .builder
            builderScope = parent
        case .global:
            kind = .global
        case .scope where parent.isGlobal:
            kind = .global
        case .scope:
            kind = .scope
            scope = parent
            name = parent.name
        }
    }

    /// Lets the scope stand alone; what is returned has to be let go of without locks.
    mutating func detach() -> EnvironmentScope? {
        defer { builderScope = nil }
        kind = .none
        scope = nil
        name = nil
        return builderScope
    }

    /// Whether there is a parent that is not always alive.
    var hasScope: Bool { kind == .scope || kind == .builder }

    /// What a link leads to at the moment.
    enum Parent {
        case none
        /// Whichever scope is global.
        case global
        case scope(EnvironmentScope)
        /// Whatever this scope, which was given to a builder, stands for.
        case standIn(of: EnvironmentScope)
        case gone

        /// The scope this leads to, unless that is whichever one is global.
        var scope: EnvironmentScope? {
            switch self {
            case .scope(let scope): scope
            case .standIn(let builderScope): builderScope.standIn
            case .none, .global, .gone: nil
            }
        }
    }

    var parent: Parent {
        switch kind {
        case .none: .none
        case .global: .global
        case .scope: scope.map { .scope($0) } ?? .gone
        case .builder: builderScope.map { .standIn(of: $0) } ?? .gone
        }
    }
}
