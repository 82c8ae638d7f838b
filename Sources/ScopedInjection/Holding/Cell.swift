import Synchronization

/// The memory of one value, which was set in a scope, or built and kept there.
///
/// Raw memory, so that making a cell allocates no class instance. One slot owns it. It is read under a line, and
/// changed under the lines of all readers of its node; but the marks of its header are set by readers.
struct Cell: Equatable {
    private struct Header: ~Copyable {
        /// The address of the key, whose lowest bits are free for marks.
        let keyAndMarks: Atomic<UInt>
        /// Changes with the value.
        var version: UInt64
    }

    /// The value was built, and its record lies behind the header.
    private static let isKept: UInt = 1
    /// A value was built from this one, or may have been.
    private static let isInput: UInt = 2

    private let header: UnsafeMutablePointer<Header>

    private init(_ header: UnsafeMutablePointer<Header>) { self.header = header }

    /// Makes a cell with a value; its owner destroys it.
    @inline(__always)
    static func make<Value>(_ value: consuming Value, _ key: ValueKey, version: UInt64) -> Cell {
        let cell = allocate(
            MemoryLayout<Value>.size,
            alignment: MemoryLayout<Value>.alignment,
            key,
            version,
            keptSize: 0
        )
        UnsafeMutableRawPointer(mutating: cell.address(of: Value.self)).initializeMemory(as: Value.self, to: value)
        return cell
    }

    /// Makes a cell with a copy of a value that was built.
    ///
    /// - Parameter keptSize: The size of the record, which lies before the value, for the caller to fill in first.
    static func make(_ key: ValueKey, version: UInt64, keptSize: Int) -> Cell {
        allocate(key.size, alignment: key.alignment, key, version, keptSize: keptSize)
    }

    @inline(__always)
    private static func allocate(
        _ size: Int,
        alignment: Int,
        _ key: ValueKey,
        _ version: UInt64,
        keptSize: Int
    ) -> Cell {
        let mask = alignment &- 1
        let offset = (MemoryLayout<Header>.stride &+ keptSize &+ mask) & ~mask
        let memory = Memory.allocate(offset &+ size, alignment: alignment)
        let header = memory.bindMemory(to: Header.self, capacity: 1)
        let marks = keptSize == 0 ? 0 : isKept
        header.initialize(to: Header(keyAndMarks: Atomic(UInt(bitPattern: key.address) | marks), version: version))
        return Cell(header)
    }

    /// Releases the value, which may run user code.
    func destroy() {
        assert(ThreadState.isFree, "a value is let go of under a lock")
        let key = key
        key.destroyValue(at: address)
        kept?.deinitialize(count: 1)
        header.deinitialize(count: 1)
        Memory.deallocate(UnsafeMutableRawPointer(header), alignment: key.alignment)
    }

    @inline(__always)
    private var marks: UInt { header.pointee.keyAndMarks.load(ordering: .relaxed) }

    private var key: ValueKey { .at(UnsafeRawPointer(bitPattern: marks & ~3).unsafelyUnwrapped) }

    /// Where the value lies, but for its alignment.
    @inline(__always)
    private var valueStart: UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(header + 1) + (kept.map { Int($0.pointee.size) } ?? 0)
    }

    // MARK: While reading

    @inline(__always)
    var version: UInt64 { header.pointee.version }

    /// The record of a kept value; nil for a set value.
    @inline(__always)
    var kept: UnsafeMutablePointer<Kept>? {
        isSet ? nil : UnsafeMutableRawPointer(header + 1).assumingMemoryBound(to: Kept.self)
    }

    @inline(__always)
    var isSet: Bool { marks & Self.isKept == 0 }

    /// The address of the value; `Value` must be the type of the key.
    @inline(__always)
    func address<Value>(of type: Value.Type) -> UnsafeRawPointer {
        UnsafeRawPointer(Memory.address(alignment: MemoryLayout<Value>.alignment, behind: valueStart))
    }

    /// The value; `Value` must be the type of the key.
    @inline(__always)
    func value<Value>(as type: Value.Type) -> Value { address(of: type).assumingMemoryBound(to: type).pointee }

    /// The address of the value, whatever its type.
    @inline(__always)
    var address: UnsafeMutableRawPointer { Memory.address(alignment: key.alignment, behind: valueStart) }

    /// The value, whatever its type.
    var anyValue: Any { key.anyValue(at: address) }

    /// Records that a value was built from this one, or may have been.
    ///
    /// It looks first, because the requests of all threads would otherwise write to a value of their application.
    @inline(__always)
    func markInput() {
        let marks = marks
        if marks & Self.isInput == 0 { header.pointee.keyAndMarks.store(marks | Self.isInput, ordering: .relaxed) }
    }

    /// Whether a value was built from this one, or may have been.
    var isInput: Bool { marks & Self.isInput != 0 }

    // MARK: While writing

    /// Swaps the value with `other`; returns whether a value may have been built from the old one.
    @inline(__always)
    func exchange<Value>(_ other: inout Value, version: UInt64) -> Bool {
        let address = UnsafeMutableRawPointer(mutating: address(of: Value.self))
        swap(&address.assumingMemoryBound(to: Value.self).pointee, &other)
        header.pointee.version = version
        let marks = marks
        header.pointee.keyAndMarks.store(marks & ~Self.isInput, ordering: .relaxed)
        return marks & Self.isInput != 0
    }
}
