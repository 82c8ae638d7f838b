/// The inputs that a build collects, each once; only the building thread uses it.
struct InputSet: ~Copyable {
    private var first = UnsafeMutablePointer<Input>.allocate(capacity: 8)
    private var capacity = 8
    private var count = 0
    /// The hash bits of all keys: most inputs are known to be new without a search.
    private(set) var hashes: UInt64 = 0
    /// All inputs, once they are many.
    private var index: Set<Input> = []

    deinit { first.deallocate() }

    var all: UnsafeBufferPointer<Input> { UnsafeBufferPointer(start: first, count: count) }

    mutating func removeAll() {
        count = 0
        hashes = 0
        if !index.isEmpty { index = [] }
    }

    @inline(__always)
    mutating func add(_ input: Input) {
        let bit = ValueKey.at(input.key).hashBit
        if hashes & bit != 0, contains(input) { return }
        append(input, bit)
    }

    /// Adds all inputs of a kept value, or of another build.
    @inline(__always)
    mutating func add(_ inputs: UnsafeBufferPointer<Input>, hashes others: UInt64) {
        guard let start = inputs.baseAddress, inputs.count > 0 else { return }
        guard hashes & others == 0, index.isEmpty else {
            for input in inputs { add(input) }
            return
        }
        reserve(inputs.count)
        (first + count).update(from: start, count: inputs.count)
        count += inputs.count
        hashes |= others
    }

    private mutating func append(_ input: Input, _ bit: UInt64) {
        reserve(1)
        first[count] = input
        count += 1
        hashes |= bit
        if !index.isEmpty { index.insert(input) }
    }

    private mutating func contains(_ input: Input) -> Bool {
        if count <= 64 { return all.contains(input) }
        if index.isEmpty { index = Set(all) }
        return index.contains(input)
    }

    private mutating func reserve(_ more: Int) {
        if count + more <= capacity { return }
        let size = max(capacity * 2, count + more)
        let larger = UnsafeMutablePointer<Input>.allocate(capacity: size)
        larger.update(from: first, count: count)
        first.deallocate()
        (first, capacity) = (larger, size)
    }
}
