import Synchronization

/// The memory of one value, which was set in a scope, or built and kept there.
///
/// Raw memory, so that making a cell allocates no class instance. One slot owns it. It is read under a line, and
/// changed under the lines of all readers of its node; but the marks of its header are set by readers.
struct Cell: Equatable {
    private struct Header: ~Copyable {
        let key: ValueKey
        /// Changes with the value.
        var version: UInt64
        /// The record of a kept value; nil for a set value.
        let kept: UnsafeMutablePointer<Kept>?
        let isInput = Atomic(false)
    }

    private let header: UnsafeMutablePointer<Header>

    private init(_ header: UnsafeMutablePointer<Header>) { self.header = header }

    /// Makes a cell with a value; its owner destroys it.
    ///
    /// - Parameter keptSize: The size of the record of a kept value, which lies behind the value, for the caller to fill in.
    @inline(__always)
    static func make<Value>(
        _ value: consuming Value,
        _ key: ValueKey,
        version: UInt64,
        keptSize: Int = 0
    ) -> Cell {
        let offset = valueOffset(Value.self)
        let mask = MemoryLayout<Kept>.alignment &- 1
        let keptOffset = (offset &+ MemoryLayout<Value>.size &+ mask) & ~mask
        let memory = Memory.allocate(keptOffset &+ keptSize, alignment: MemoryLayout<Value>.alignment)
        let header = memory.bindMemory(to: Header.self, capacity: 1)
        let kept = keptSize == 0 ? nil : (memory + keptOffset).bindMemory(to: Kept.self, capacity: 1)
        header.initialize(to: Header(key: key, version: version, kept: kept))
        (memory + offset).initializeMemory(as: Value.self, to: value)
        return Cell(header)
    }

    /// Releases the value, which may run user code.
    func destroy() {
        assert(ThreadState.isFree, "a value is let go of under a lock")
        let memory = UnsafeMutableRawPointer(header)
        let alignment = header.pointee.key.deinitializeValue(behind: memory)
        kept?.deinitialize(count: 1)
        header.deinitialize(count: 1)
        Memory.deallocate(memory, alignment: alignment)
    }

    @inline(__always)
    static func valueOffset<Value>(_: Value.Type) -> Int {
        let mask = MemoryLayout<Value>.alignment &- 1
        return (MemoryLayout<Header>.size &+ mask) & ~mask
    }

    @inline(__always)
    private func value(at offset: Int) -> UnsafeMutableRawPointer { UnsafeMutableRawPointer(header) + offset }

    // MARK: While reading

    @inline(__always)
    var version: UInt64 { header.pointee.version }

    @inline(__always)
    var kept: UnsafeMutablePointer<Kept>? { header.pointee.kept }

    @inline(__always)
    var isSet: Bool { header.pointee.kept == nil }

    /// The place of the value; `Value` must be the type of the key.
    @inline(__always)
    func address<Value>(of type: Value.Type) -> UnsafeRawPointer { UnsafeRawPointer(value(at: Self.valueOffset(type))) }

    /// The value; `Value` must be the type of the key.
    @inline(__always)
    func value<Value>(as type: Value.Type) -> Value { address(of: type).assumingMemoryBound(to: type).pointee }

    /// The value, whatever its type.
    var anyValue: Any { header.pointee.key.anyValue(behind: UnsafeRawPointer(header)) }

    /// Records that a value was built from this one, or may have been.
    ///
    /// It looks first, because the requests of all threads would otherwise write to a value of their application.
    @inline(__always)
    func noteInput() {
        if !header.pointee.isInput.load(ordering: .relaxed) { header.pointee.isInput.store(true, ordering: .relaxed) }
    }

    /// Whether a value was built from this one, or may have been.
    var isInput: Bool { header.pointee.isInput.load(ordering: .relaxed) }

    // MARK: While writing

    /// Swaps the value with `other`; returns whether a value may have been built from the old one.
    @inline(__always)
    func exchange<Value>(_ other: inout Value, version: UInt64) -> Bool {
        swap(&value(at: Self.valueOffset(Value.self)).assumingMemoryBound(to: Value.self).pointee, &other)
        header.pointee.version = version
        return header.pointee.isInput.exchange(false, ordering: .relaxed)
    }
}
