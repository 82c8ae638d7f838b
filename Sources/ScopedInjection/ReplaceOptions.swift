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
}
