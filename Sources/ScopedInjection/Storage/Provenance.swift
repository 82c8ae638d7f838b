/// What a kept value was built from.
struct Provenance: Sendable {
    /// One thing that was read while a value was built.
    struct Input: Hashable, Sendable {
        enum Fact: Sendable {
            /// The value itself, by its version.
            case value
            /// Only which binding decided, by the version of the builder or set value, or 0 where none did:
            /// the value was not kept, or could not be had.
            case decision
            /// Only that the scope's alias was followed.
            case alias
        }

        let key: AnyKey
        let fact: Fact
        let version: UInt64
        /// The scope it came from; nil where no scope supplied it.
        let owner: ObjectIdentifier?
    }

    /// What was read, in the order of the reads.
    var inputs: [Input] = []

    /// The keys of the inputs, of what these were built from, and so on, with the value's own key.
    var keys: Set<ObjectIdentifier> = []

    /// Whether a `.scoped` value is among them, so that only the scope it belongs to sees the same inputs.
    var isPinned = false

    /// Whether a key's own default is among them, or built the value.
    var usesDefaults = false

    /// Which binding decided that the value had to be built: the version of its builder, or 0 for the key's default.
    var decision: UInt64 = 0

    /// Takes in what a value that is read was itself built from.
    mutating func formUnion(_ other: Provenance) {
        keys.formUnion(other.keys)
        isPinned = isPinned || other.isPinned
        usesDefaults = usesDefaults || other.usesDefaults
    }
}
