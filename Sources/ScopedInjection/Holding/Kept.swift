import Synchronization

/// The record of a kept value: what it was built from, directly or through other values, and when that was last checked.
///
/// It lies before the value in the memory of its cell. In it lie the inputs, and where they are many, a filter of their keys.
struct Kept: ~Copyable {
    /// The stamp of the keeper at the last check of all inputs.
    let checked: Atomic<UInt64>
    /// The bits of all keys that the value was built from, as of `checked`; `Mask.pinned` if only the keeper sees it.
    let mask: Atomic<UInt64>
    /// The version of the decision that the build carried out.
    var decision: UInt64
    /// The hash bits of the keys of the inputs.
    let hashes: UInt64
    /// The value's cleanups, in the list of the keeper; nil if it has none, and uses no value that has.
    let resource: Borrowed<Resource>?
    /// Whether it stays whatever changes, so that its inputs are only shown.
    let isOnce: Bool
    /// Whether the next has any, which is read more often.
    let isOnResources: Bool
    /// Without cleanups of its own: the values with cleanups that it was built from, which it does not hold.
    let usedResources: [Resource]
    let inputCount: UInt32
    /// In the place of a stamp: only cleanups are given the value.
    static let ending = UInt64.max
    /// With the inputs and the filter.
    let size: UInt32

    /// The size of a record with so many inputs.
    @inline(__always)
    static func size(for count: Int) -> Int {
        MemoryLayout<Kept>.stride + count * MemoryLayout<Input>.stride + filterSize(for: count) * 8
    }

    /// How many words of 64 bits the filter has: none where the hashes tell enough, else two bytes for each input or more.
    @inline(__always)
    fileprivate static func filterSize(for count: Int) -> Int {
        count <= 24 ? 0 : 1 << (Int.bitWidth - (count >> 2).leadingZeroBitCount)
    }
}

extension UnsafeMutablePointer where Pointee == Kept {
    /// All inputs, each once; what a value was built from comes before the value.
    var inputs: UnsafeBufferPointer<Input> {
        let first = UnsafeRawPointer(self + 1).assumingMemoryBound(to: Input.self)
        return UnsafeBufferPointer(start: first, count: Int(pointee.inputCount))
    }

    private var filter: UnsafeMutableBufferPointer<UInt64> {
        let count = Int(pointee.inputCount)
        let first = UnsafeMutableRawPointer(self + 1) + count &* MemoryLayout<Input>.stride
        let size = Kept.filterSize(for: count)
        return UnsafeMutableBufferPointer(start: first.assumingMemoryBound(to: UInt64.self), count: size)
    }

    @inline(never)
    private func makeFilter() {
        let filter = filter
        filter.initialize(repeating: 0)
        for input in inputs {
            let (word, bit) = Self.bit(of: input.key, in: filter)
            filter[word] |= bit
        }
    }

    /// Whether the value may have been built from a key; false for most of the others.
    @inline(__always)
    func mayHaveInput(_ key: UnsafeRawPointer) -> Bool {
        if pointee.hashes & ValueKey.at(key).hashBit == 0 { return false }
        let filter = filter
        if filter.count == 0 { return true }
        let (word, bit) = Self.bit(of: key, in: filter)
        return filter[word] & bit != 0
    }

    /// Whether none of fewer inputs is one of many, which the filter tells of most.
    @inline(__always)
    func hasNone(of others: UnsafeBufferPointer<Input>) -> Bool {
        pointee.inputCount > 24 && others.count < pointee.inputCount && !others.contains { mayHaveInput($0.key) }
    }

    /// By other bits of the hash than those of `hashBit`.
    private static func bit(of key: UnsafeRawPointer, in filter: UnsafeMutableBufferPointer<UInt64>) -> (Int, UInt64) {
        let hash = ValueKey.hash(key)
        return ((hash >> 6) & (filter.count &- 1), 1 << UInt64(truncatingIfNeeded: hash & 63))
    }

    /// Takes one decision for another that is the same; the caller has called `startWriting`.
    func rename(_ decision: UInt64, to other: UInt64) {
        if pointee.decision == decision { pointee.decision = other }
        let all = UnsafeMutableBufferPointer(mutating: inputs)
        for (index, input) in all.enumerated() where input.version == decision {
            all[index] = Input(key: input.key, version: other, past: input.past)
        }
    }

    /// Calls a function with the values with cleanups that are used with this one.
    @inline(__always)
    func withResources(_ body: (Resource) -> Void) {
        if let resource = pointee.resource { return resource.with(body) }
        if pointee.isOnResources { pointee.usedResources.forEach(body) }
    }

    /// Lets only cleanups be given the value from now on, if it has something to end, or was built from what has.
    func markEnding() {
        if pointee.resource != nil || pointee.isOnResources { pointee.checked.store(Kept.ending, ordering: .releasing) }
    }

    /// Whether only cleanups are given the value.
    var isEnding: Bool { pointee.checked.load(ordering: .relaxed) == Kept.ending }

    /// Whether only the keeper sees the value; the same at each check.
    var isPinned: Bool { pointee.mask.load(ordering: .relaxed) & Mask.pinned != 0 }

    /// Makes the record of a new cell, with a copy of the inputs.
    @inline(__always)
    func initialize(to kept: consuming Kept, _ inputs: UnsafeBufferPointer<Input>) {
        initialize(to: kept)
        if let first = inputs.baseAddress {
            UnsafeMutableRawPointer(self + 1).initializeMemory(as: Input.self, from: first, count: inputs.count)
        }
        if Kept.filterSize(for: inputs.count) > 0 { makeFilter() }
    }
}
