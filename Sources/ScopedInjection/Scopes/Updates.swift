/// The updates of a scope that are in progress, and what others have changed meanwhile.
struct Updates {
    var count = 0
    var changes: UInt64 = 0
    /// The number of the last change of each value.
    var last: [ValueKey: UInt64] = [:]
    /// That of the last removal of all values.
    var lastOfAll: UInt64 = 0
}
