/// The inputs that a build collects, each once; the building thread uses it, and after the end of the build whoever waited.
struct InputSet: ~Copyable {
    private var first = UnsafeMutablePointer<Input>.allocate(capacity: 8)
    private var capacity = 8
    private var count = 0
    /// The hash bits of all keys: most inputs are known to be new without a search.
    private(set) var hashes: UInt64 = 0
    /// Where the first `indexed` inputs lie, by their hash, once they are many: numbers from 1 on, or 0 for a free one.
    private var index: UnsafeMutableBufferPointer<Int32>?
    private var indexed = 0
    /// How often an input was searched for: a few searches cost less than the index.
    private var searches = 0

    deinit {
        first.deallocate()
        index?.deallocate()
    }

    var all: UnsafeBufferPointer<Input> { UnsafeBufferPointer(start: first, count: count) }

    mutating func removeAll() {
        (count, hashes) = (0, 0)
        if searches == 0 { return }
        index?.deallocate()
        (index, indexed, searches) = (nil, 0, 0)
    }

    @inline(__always)
    mutating func add(_ input: Input) {
        let bit = ValueKey.at(input.key).hashBit
        if hashes & bit != 0, contains(input, among: count) { return }
        append(input)
        hashes |= bit
    }

    /// Adds a kept value by the version of its cell; false if it is there already.
    ///
    /// The decision on it is added after that.
    @inline(__always)
    mutating func addInstance(of key: ValueKey, _ version: UInt64) -> Bool {
        let instance = Input(key: key.address, version: version, past: Input.instance)
        if hashes & key.hashBit != 0, contains(instance, among: count) { return false }
        append(instance)
        return true
    }

    /// Notes a key whose instance was added, and no decision on it.
    mutating func noteHash(of key: ValueKey) { hashes |= key.hashBit }

    /// Adds a kept value by the version of its cell, all that it was built from, and last the decision on it.
    @inline(__always)
    mutating func add(_ decision: Input, of kept: UnsafeMutablePointer<Kept>, _ version: UInt64) {
        let key = ValueKey.at(decision.key)
        // Nothing is built from itself, so the decision is not among what the value was built from.
        let isKnown = hashes & key.hashBit != 0
        // What has the value among its inputs has all inputs of the value, too.
        if addInstance(of: key, version) { add(kept.inputs, hashes: kept.pointee.hashes, of: kept) }
        if isKnown, contains(decision, among: count) { return }
        append(decision)
        hashes |= key.hashBit
    }

    /// Adds all inputs of a kept value, or of another build.
    @inline(__always)
    mutating func add(
        _ inputs: UnsafeBufferPointer<Input>,
        hashes others: UInt64,
        of kept: UnsafeMutablePointer<Kept>? = nil
    ) {
        guard let start = inputs.baseAddress, inputs.count > 0 else { return }
        if count + inputs.count > capacity { reserve(inputs.count) }
        if hashes & others == 0 || kept?.hasNone(of: all) == true {
            (first + count).update(from: start, count: inputs.count)
            count += inputs.count
        } else {
            // They differ from each other, so each is compared with those before only.
            let before = count
            for input in inputs
            where hashes & ValueKey.at(input.key).hashBit == 0 || !contains(input, among: before) { append(input) }
        }
        hashes |= others
    }

    @inline(__always)
    private mutating func append(_ input: Input) {
        if count == capacity { reserve(1) }
        first[count] = input
        count &+= 1
    }

    mutating func contains(_ input: Input) -> Bool {
        hashes & ValueKey.at(input.key).hashBit != 0 && contains(input, among: count)
    }

    private mutating func contains(_ input: Input, among count: Int) -> Bool {
        if count <= 32 || searches < 8 {
            if count > 32 { searches += 1 }
            // The version differs most often.
            for position in 0..<count where first[position].version == input.version && first[position] == input {
                return true
            }
            return false
        }
        let index = completeIndex()
        var position = Self.position(of: input, in: index)
        while index[position] != 0 {
            if first[Int(index[position]) - 1] == input { return true }
            position = (position &+ 1) & (index.count &- 1)
        }
        return false
    }

    /// The index, with all inputs.
    private mutating func completeIndex() -> UnsafeMutableBufferPointer<Int32> {
        var index = index ?? UnsafeMutableBufferPointer(start: nil, count: 0)
        if count * 2 > index.count {
            index.deallocate()
            var size = 256
            while count * 2 > size { size *= 2 }
            index = .allocate(capacity: size)
            index.initialize(repeating: 0)
            (self.index, indexed) = (index, 0)
        }
        while indexed < count {
            var position = Self.position(of: first[indexed], in: index)
            while index[position] != 0 { position = (position &+ 1) & (index.count &- 1) }
            indexed += 1
            index[position] = Int32(truncatingIfNeeded: indexed)
        }
        return index
    }

    /// Where the search for an input begins.
    @inline(__always)
    private static func position(of input: Input, in index: UnsafeMutableBufferPointer<Int32>) -> Int {
        let key = UInt64(UInt(bitPattern: input.key)) ^ (input.version &<< 32)
        return Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & (index.count &- 1)
    }

    @inline(never)
    private mutating func reserve(_ more: Int) {
        let size = max(capacity * 2, count + more)
        let larger = UnsafeMutablePointer<Input>.allocate(capacity: size)
        larger.update(from: first, count: count)
        first.deallocate()
        (first, capacity) = (larger, size)
    }
}
