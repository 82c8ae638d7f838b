import Synchronization

/// Where one value lies: set in a scope, or built and kept there.
///
/// Raw memory, so that making one asks the runtime for no class. Owned by one slot, read under a line, changed
/// under all lines that may be reading its scope.
struct Cell: Equatable {
    private struct Header: ~Copyable {
        let key: Unmanaged<ValueKey>
        /// Changes with the value.
        var version: UInt64
        /// What a kept value was built from; nil for a value that was set.
        let kept: UnsafeMutablePointer<Kept>?
        let isInput = Atomic(false)
    }

    private let header: UnsafeMutablePointer<Header>

    private init(_ header: UnsafeMutablePointer<Header>) { self.header = header }

    /// A cell with a value; its owner destroys it.
    @inline(__always)
    static func make<Value>(
        _ value: consuming Value,
        _ key: ValueKey,
        version: UInt64,
        kept: UnsafeMutablePointer<Kept>? = nil
    ) -> Cell {
        let offset = valueOffset(Value.self)
        let memory = Memory.allocate(offset &+ MemoryLayout<Value>.size, alignment: MemoryLayout<Value>.alignment)
        let header = memory.bindMemory(to: Header.self, capacity: 1)
        header.initialize(to: Header(key: .passUnretained(key), version: version, kept: kept))
        (memory + offset).initializeMemory(as: Value.self, to: value)
        return Cell(header)
    }

    /// Lets go of the value, which may run user code.
    func destroy() {
        assert(ThreadState.isFree, "a value is let go of under a lock")
        let memory = UnsafeMutableRawPointer(header)
        let alignment = header.pointee.key._withUnsafeGuaranteedRef { $0.deinitializeValue(behind: memory) }
        kept?.destroy()
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

    var key: ValueKey { header.pointee.key._withUnsafeGuaranteedRef { $0 } }

    @inline(__always)
    var version: UInt64 { header.pointee.version }

    @inline(__always)
    var kept: UnsafeMutablePointer<Kept>? { header.pointee.kept }

    @inline(__always)
    var isSet: Bool { header.pointee.kept == nil }

    /// The value; `Value` must be the type of the key.
    @inline(__always)
    func value<Value>(as type: Value.Type) -> Value {
        value(at: Self.valueOffset(type)).assumingMemoryBound(to: type).pointee
    }

    /// The value, to be shown or looked at by reflection.
    var anyValue: Any { key.any(value(at: key.valueOffset)) }

    /// Notes that a value was built from this one.
    @inline(__always)
    func noteInput() { header.pointee.isInput.store(true, ordering: .relaxed) }

    // MARK: While writing

    /// Exchanges the value for another, which takes up the old one; true where something was built from the old one.
    @inline(__always)
    func exchange<Value>(_ other: inout Value, version: UInt64) -> Bool {
        swap(&value(at: Self.valueOffset(Value.self)).assumingMemoryBound(to: Value.self).pointee, &other)
        header.pointee.version = version  // fault: replaced-version
        return header.pointee.isInput.exchange(false, ordering: .relaxed)
    }
}

/// What a kept value was built from, and as of when that is known to be so.
struct Kept: ~Copyable {
    /// The stamp of the keeping scope as of which every input was looked at.
    let checked: Atomic<UInt64>
    /// The bits of all that the value was built from, at any remove, as of `checked`.
    let mask: Atomic<UInt64>
    /// Which binding decided that the value had to be built.
    let decision: UInt64
    /// Whether only the scope that keeps the value sees it.
    let isPinned: Bool
    fileprivate let inputCount: Int

    /// Takes over the inputs.
    static func make(
        _ inputs: UnsafeBufferPointer<Input>,
        checked: UInt64,
        mask: UInt64,
        decision: UInt64,
        isPinned: Bool
    ) -> UnsafeMutablePointer<Kept> {
        let size = MemoryLayout<Kept>.stride + inputs.count * MemoryLayout<Input>.stride
        let memory = Memory.allocate(size, alignment: MemoryLayout<Kept>.alignment)
        let kept = memory.bindMemory(to: Kept.self, capacity: 1)
        kept.initialize(
            to: Kept(
                checked: Atomic(checked),
                mask: Atomic(mask),
                decision: decision,
                isPinned: isPinned,
                inputCount: inputs.count
            )
        )
        if let first = inputs.baseAddress {
            (memory + MemoryLayout<Kept>.stride).initializeMemory(as: Input.self, from: first, count: inputs.count)
        }
        return kept
    }
}

extension UnsafeMutablePointer where Pointee == Kept {
    /// What the value was built from, in the order of the reads.
    var inputs: UnsafeBufferPointer<Input> {
        let first = (UnsafeRawPointer(self) + MemoryLayout<Kept>.stride).assumingMemoryBound(to: Input.self)
        return UnsafeBufferPointer(start: first, count: pointee.inputCount)
    }

    func destroy() {
        for input in inputs { input.place?.release() }
        deinitialize(count: 1)
        Memory.deallocate(UnsafeMutableRawPointer(self), alignment: MemoryLayout<Kept>.alignment)
    }
}
