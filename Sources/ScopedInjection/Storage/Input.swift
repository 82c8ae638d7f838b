/// One fact that a build has read.
struct Input: Hashable {
    enum Fact: UInt8 {
        /// The value itself, by its version.
        case value
        /// The decision, by its version: the value was not kept, did not resolve, or is an alias.
        case decision
        /// That a value has no alias; a set there depends on it.
        case unaliased
        /// Whether the policy in force forbids a default; the version is 1 if it does.
        case policy
        /// No scope has moved, by `Lines.moves`, so that what a closed scope refused would still have to be kept there.
        case unmoved
        /// The parent of the asking scope, by the number of the link.
        case parent
        /// What a scope that was asked holds itself, by the version of the value; 0 for nothing.
        case held
        /// Whether a scope that was asked is closed; the version is 1 if it is.
        case isClosed
        /// Which scope is the global one, by its number.
        case global
        /// A fact that may differ at every look.
        case changing
        /// A change has overtaken the build: its value is never right again once anything changes.
        case overtaken
    }

    let fact: Fact
    /// The level of the scope that decided it, counted from the asking scope or the place; `Input.nowhere` if none did.
    var level: Int32
    /// The address of the value's key; of the value that is built, if the fact concerns no other.
    var key: UnsafeRawPointer
    let version: UInt64
    /// The version of the decision that the read skipped; 0 for an ordinary read.
    var past: UInt64 = 0
    /// The scope it was read through, if that was not the builder's; the owner of the input owns the handle.
    var place: Unmanaged<Handle>?

    static let nowhere = Int32.max

    /// The version of a decision for the value's own builder.
    static let byDefault: UInt64 = 0
    /// The version of a decision that failed because a parent is gone.
    static let gone: UInt64 = 1
    /// The version of a decision whose `past` is no longer in the chain: a change has overtaken the read.
    static let lost: UInt64 = 3
    /// For `past`: whatever the scope itself decides.
    static let own: UInt64 = 1

    /// Whether it is the same fact; the level follows from the other properties.
    static func == (one: Input, other: Input) -> Bool {
        one.key == other.key && one.version == other.version && one.fact == other.fact
            && one.past == other.past  // fault: past-compared
            && one.place?.toOpaque() == other.place?.toOpaque()
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(version)
        hasher.combine(fact)
        hasher.combine(past)
        hasher.combine(place?.toOpaque())
    }
}
