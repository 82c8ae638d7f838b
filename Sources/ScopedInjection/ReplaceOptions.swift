/// How far `replace(in:options:)` and `validateReferences(in:options:)` go.
public struct ReplaceOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Goes on into the values that the references resolve to.
    ///
    /// It builds those values. Where `replace(in:)` comes by one that does not resolve, it ends the program; call
    /// `validateReferences(in:)` first.
    ///
    /// Do not use it with a ``ValueLifetime/transient`` value that refers to its own kind: each read makes another
    /// one, so the walk would not end.
    public static let recursive = ReplaceOptions(rawValue: 1)

    /// Goes on into stored properties: structs, classes, tuples, enum payloads, optionals, collections.
    public static let nested = ReplaceOptions(rawValue: 2)

    /// Binds the references without keeping the scope alive.
    ///
    /// Use it for objects inside a value of the scope. Otherwise the scope would keep itself alive. An instance that is itself a
    /// value of the scope does not need it. A read that cannot throw ends the program once the scope is gone.
    public static let unowned = ReplaceOptions(rawValue: 4)
}
