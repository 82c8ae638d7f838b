/// Says why a value cannot be called like a property of a scope: `scope.name = …` is an error of the compiler with these words.
///
/// The properties of ``EnvironmentScope`` itself hide these wherever they are read. It is for that class alone.
public protocol ScopeMemberNames {}

extension ScopeMemberNames {
    /// Unavailable: a scope has ``EnvironmentScope/name``.
    @available(*, unavailable, message: "a scope has a name of its own; give the value another name")
    public var name: Any? {
        get { nil }
        nonmutating set {}
    }

    /// Unavailable: a scope has ``EnvironmentScope/role``.
    @available(*, unavailable, message: "a scope has a role of its own; give the value another name")
    public var role: Any? {
        get { nil }
        nonmutating set {}
    }

    /// Unavailable: a scope has ``EnvironmentScope/parent``.
    @available(*, unavailable, message: "a scope keeps the parent with which it is made; give the value another name")
    public var parent: Any? {
        get { nil }
        nonmutating set {}
    }

    /// Unavailable: a scope has ``EnvironmentScope/isClosed``.
    @available(*, unavailable, message: "a scope says itself whether it is closed; give the value another name")
    public var isClosed: Any? {
        get { nil }
        nonmutating set {}
    }

    /// Unavailable: a scope has ``EnvironmentScope/graph``.
    @available(*, unavailable, message: "a scope has a graph of its own; give the value another name")
    public var graph: Any? {
        get { nil }
        nonmutating set {}
    }

    /// Unavailable: a scope has ``EnvironmentScope/description``.
    @available(*, unavailable, message: "a scope has a description of its own; give the value another name")
    public var description: Any? {
        get { nil }
        nonmutating set {}
    }
}
