/// One thing that was read while a value was built.
struct Input {
    enum Fact: UInt8 {
        /// The value itself, by its version.
        case value
        /// Which binding decided, by its version: the value was not kept, could not be had, or its builder forwards.
        case decision
        /// Whether the policy in force forbids a default: 1 if it does.
        case policy
        /// That the value would have to be kept in a scope that is closed, by the address of its node.
        case closed
        /// Which scope the asking one lies below, by the number of its link.
        case parent
        /// Something that may be different at every look.
        case changing
    }

    let fact: Fact
    /// How many scopes out from the asking one it was decided; `Input.nowhere` where no scope has a say.
    var level: Int32
    /// The address of the value's key; meaningless where the fact concerns no value.
    let key: UnsafeRawPointer
    let version: UInt64
    /// Which decision the read went past, from the scope that made it outwards; 0 for an ordinary read.
    var past: UInt64 = 0
    /// The scope it was read through, where that was not the builder's; owned by whoever owns the input.
    var place: Unmanaged<Handle>?

    static let nowhere = Int32.max

    /// The version of a decision that is left to the value's own builder.
    static let byDefault: UInt64 = 0
    /// The version of a decision that cannot be had, because a parent is gone.
    static let gone: UInt64 = 1
    /// The version of a decision past one that is no longer there: whoever asks has been overtaken.
    static let lost: UInt64 = 3
    /// For `past`: whatever the scope itself says.
    static let own: UInt64 = 1

    /// Whether it is the same fact; how far out it was decided follows from the others.
    func isSame(as other: Input) -> Bool {
        key == other.key && version == other.version && fact == other.fact
            && past == other.past  // fault: past-compared
            && place?.toOpaque() == other.place?.toOpaque()
    }
}
