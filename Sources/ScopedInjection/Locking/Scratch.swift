/// Memory of a thread for values that are being made, taken and given back in the order of a stack.
///
/// Code that does not know the type of a value cannot have one as a variable that is not initialized yet.
struct Scratch {
    private static let size = 1_024
    private static let alignment = 16

    // One byte more, so that what has no size lies in this memory, too, where the rest is taken.
    private let start = UnsafeMutableRawPointer.allocate(byteCount: size + 1, alignment: alignment)
    private var used = 0

    mutating func take(_ byteCount: Int, alignment: Int) -> UnsafeMutableRawPointer {
        let next = used &+ (byteCount &+ Self.alignment &- 1) & ~(Self.alignment &- 1)
        guard alignment <= Self.alignment, next <= Self.size else {
            return .allocate(byteCount: byteCount, alignment: alignment)
        }
        defer { used = next }
        return start + used
    }

    /// Gives back what was taken last.
    mutating func giveBack(_ memory: UnsafeMutableRawPointer) {
        let offset = memory - start
        guard offset >= 0, offset <= Self.size else { return memory.deallocate() }
        assert(offset <= used, "memory is given back in another order")
        used = offset
    }

    /// Frees it when the thread ends.
    func free() { start.deallocate() }
}

extension UnsafeMutablePointer where Pointee == ThreadState {
    /// The value that a function makes in memory that is not initialized.
    @inline(__always)
    func make<Value, Failure>(_ body: (UnsafeMutableRawPointer) throws(Failure) -> Void) throws(Failure) -> Value {
        let memory = pointee.scratch.take(MemoryLayout<Value>.size, alignment: MemoryLayout<Value>.alignment)
        defer { pointee.scratch.giveBack(memory) }
        try body(memory)
        return memory.assumingMemoryBound(to: Value.self).move()
    }
}
