/// The inputs of a build so far.
struct InputList: ~Copyable {
    private var memory: UnsafeMutablePointer<Input>?
    private(set) var capacity = 0
    private var count = 0
    /// Finds an input in a long list.
    private var known: Set<Input> = []

    /// The level of the nearest scope that decided one of the inputs.
    var nearest = Input.nowhere
    /// The bits of all keys that were read, directly or through other values.
    var mask: UInt64 = 0
    /// Whether only the asking scope may see the value.
    var isPinned = false

    var all: UnsafeBufferPointer<Input> { UnsafeBufferPointer(start: memory, count: count) }

    /// Takes an input over; false if the list has it already.
    @inline(__always)
    mutating func add(_ input: Input, _ mask: UInt64, _ isPinned: Bool) -> Bool {
        if isPinned { self.isPinned = true }
        if input.place == nil {
            nearest = min(nearest, input.level)  // fault: nearest-input
            self.mask |= mask  // fault: collected-mask
        }
        if count < 24 {
            for index in 0..<count where memory.unsafelyUnwrapped[index] == input { return false }
        } else if isKnown(input) {
            return false
        }
        if count == capacity { grow() }
        memory.unsafelyUnwrapped[count] = input
        count &+= 1
        return true
    }

    @inline(never)
    private mutating func isKnown(_ input: Input) -> Bool {
        if known.isEmpty { for input in all { known.insert(input) } }
        return !known.insert(input).inserted
    }

    @inline(never)
    private mutating func grow() {
        let fresh = UnsafeMutablePointer<Input>.allocate(capacity: max(8, capacity * 2))
        if let memory {
            fresh.moveInitialize(from: memory, count: count)
            memory.deallocate()
        }
        memory = fresh
        capacity = max(8, capacity * 2)
    }

    /// Forgets the inputs, which have a new owner.
    mutating func handOver() {
        count = 0
        if capacity > 64 { giveBack() }  // fault: much-given-back
    }

    /// Gives back the room for inputs, because the build may stay as a spare, or with its value.
    @inline(never)
    private mutating func giveBack() {
        known = []
        memory?.deallocate()
        memory = nil
        capacity = 0
    }

    /// Retains the places, because the inputs have a second owner.
    func retainPlaces() { for input in all { _ = input.place?.retain() } }

    mutating func removeAll() {
        for input in all { input.place?.release() }
        handOver()
        if !known.isEmpty { known = [] }
        nearest = Input.nowhere
        mask = 0
        isPinned = false
    }

    deinit {
        for input in all { input.place?.release() }
        memory?.deallocate()
    }
}
