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
            /// Only which key the scope's alias led to, by that key's identity.
            case alias
            /// Only that the scope is the outermost one under the policy that decides, and what that makes of defaults.
            case policy
            /// Only that the value would have to be kept in the scope, which is closed, by what lies outside of that.
            case closed
        }

        let key: AnyKey
        let fact: Fact
        let version: UInt64
        /// The scope it came from; nil where no scope supplied it.
        let owner: ObjectIdentifier?

        /// The version of a policy that forbids the default.
        static let forbidden: UInt64 = 1

        var forbidsDefault: Bool { fact == .policy && version == Self.forbidden }

        /// Whether a key was read, not only what is said about it.
        var isOfValue: Bool { fact == .value || fact == .decision }
    }

    /// What was read, in the order of the reads.
    var inputs: [Input] = []

    /// The keys of the inputs, of what these were built from, and so on, with the value's own key.
    var keys: Set<ObjectIdentifier> = []

    /// Whether the value or one of them is `.scoped`, so that only the scope it belongs to sees the same inputs.
    var isPinned = false

    /// Whether a key's own default built the value, or one of them that nobody keeps, and no policy had a say.
    var usesFreeDefault = false

    /// Which binding decided that the value had to be built: the version of its builder, or 0 for the key's default.
    var decision: UInt64 = 0

    /// Takes in what a value that is read was itself built from.
    mutating func formUnion(_ other: Provenance) {
        keys.formUnion(other.keys)
        isPinned = isPinned || other.isPinned
    }
}
