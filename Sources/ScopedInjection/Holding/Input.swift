/// One fact that a value was built from: which decision a read of a key finds.
package struct Input: Hashable {
    /// The address of the key.
    let key: UnsafeRawPointer
    /// The version of the decision: of a set value or a provider, or one of those below.
    package let version: UInt64
    /// The version of the decision that the read skipped; 0 for an ordinary read, or `instance`.
    var past: UInt64 = 0

    /// Marks an input that is a kept value, by the version of its cell: it is over once its keeper lets go of that, and one that
    /// stays also where a read would find another one.
    static let instance = UInt64.max

    /// Marks what the failed run of a value has read that stays: it is seen as the scope sees it that would have kept that value.
    static func ofFailure(_ key: UnsafeRawPointer) -> UInt64 { 1 << 63 | UInt64(UInt(bitPattern: key)) }

    /// Whether `past` is one of these marks, and no version.
    var isMarked: Bool { past >> 63 == 1 }

    /// The value whose run has failed; nil for all other inputs.
    var failed: UnsafeRawPointer? {
        isMarked && past != Input.instance
            ? UnsafeRawPointer(bitPattern: UInt(truncatingIfNeeded: past & ~(1 << 63))) : nil
    }
    /// Whether it was only read by a value that has failed.
    var isOfOther: Bool { failed.map { $0 != key } ?? false }

    /// The key's own default decides.
    static let byDefault: UInt64 = 0
    /// In the version of a builder that does for an update what the key's own default would.
    static let likeDefault: UInt64 = 1 << 62
    static func isDefault(_ version: UInt64) -> Bool { version == byDefault || version & likeDefault != 0 }
    /// A parent is gone before a scope decided.
    static let gone: UInt64 = 1
    /// The decision to skip is not in the chain any more.
    static let lost: UInt64 = 2
    // The policies of defaults: the same one is the same decision, whichever scope has it.
    static let forbidden: UInt64 = 3
    static let reported: UInt64 = 4
    /// Defaults are allowed below a scope with another policy.
    package static let allowedAgain: UInt64 = 5
}

extension ValueKey {
    /// The mask of a value that a decision has begun: a policy may forbid its live default to others.
    func maskOfBegun(by version: UInt64) -> UInt64 {
        roleBit | (Input.isDefault(version) && hasLiveDefault ? Mask.policy : 0)
    }
}
