/// What decides on a value for one read: a set value, a provider, or the key's own default.
struct Decision {
    /// The version of the provider or the set value, or one of those that `Input` names.
    let version: UInt64
    /// The level of the deciding scope, or of the root if none decides; no built value is kept further out.
    let level: Int32
    /// The builder; nil for the key's own default and for a set value.
    var provider: Borrowed<Provider>?
    /// The set value.
    var cell: Cell?
    /// The bits of the keys that the scopes on the way decide on.
    var passed: UInt64 = 0
    /// Whether one of them, or the deciding one, keeps a built value.
    var mayBeKept = true
    /// The level of the scope whose decision was skipped; -1 if none was.
    var pastLevel: Int32 = -1
    /// The level of the scope that keeps a value which stays; -1 if there is none.
    var keeper: Int32 = -1

    /// Whether the key's own default decides.
    var isDefault: Bool { version == Input.byDefault }
    /// Whether nothing can be read: a parent is gone, or the decision to skip is no longer there.
    var isNowhere: Bool { version == Input.gone || version == Input.lost }
    /// The level that it gives to what is built from it.
    var nearest: Int32 {
        let decided = version <= Input.lost ? .max : level
        return keeper < 0 ? decided : min(decided, keeper)
    }
}
