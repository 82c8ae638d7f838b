import Synchronization

/// Sets of keys as 64 bits; with more keys than bits, keys share bits.
///
/// A bit made of the hash instead would never change, and would need no lines. But most keys have no bit, because no scope with
/// a parent decides on them: so the mask of a service with 300 inputs is nearly empty, and few scopes seem to concern it.
enum Mask {
    /// In the `decides` of every node, so that no scope further in sees a pinned value.
    static let pinned: UInt64 = 1 << 63
    /// The bit of the key whose value is the defaults policy.
    static let policy: UInt64 = 1 << 62
    /// What a scope seems to decide on that has every role.
    static let everything = ~policy
    /// The bit of every key of a family.
    static let families: UInt64 = 1 << 61
    private static let count: UInt64 = 61

    /// The bit of the key that is the `number`th to get one.
    static func bit(_ number: UInt64) -> UInt64 { 1 << (number % count) }

    /// Whether one of the bits may belong to several keys.
    static func isShared(_ bits: UInt64, _ given: UInt64) -> Bool { given > count || bits & families != 0 }
}
