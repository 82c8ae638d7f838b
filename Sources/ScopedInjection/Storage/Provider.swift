import Synchronization

/// What a scope says of a value other than the value itself: how it is built, or which other one it is.
class Provider: @unchecked Sendable {
    // Sendable because it never changes but for the hint; the compiler checks that for final classes only.
    let version: UInt64
    /// Where it was given.
    let fileID: StaticString
    let line: UInt
    /// What the last run of the builder read.
    let hint = HintPlace()

    fileprivate init(version: UInt64, fileID: StaticString, line: UInt) {
        self.version = version
        self.fileID = fileID
        self.line = line
    }

    /// The value that is read instead; nil for a builder.
    var target: ValueKey? { nil }
}

/// A builder that was given to a scope.
final class Builder<Value>: Provider, @unchecked Sendable {
    let make: @Sendable (EnvironmentScope) throws -> Value

    init(
        version: UInt64,
        fileID: StaticString,
        line: UInt,
        _ make: @escaping @Sendable (EnvironmentScope) throws -> Value
    ) {
        self.make = make
        super.init(version: version, fileID: fileID, line: line)
    }
}

/// Says that a read of one value is a read of another.
final class Alias: Provider, @unchecked Sendable {
    private let other: ValueKey

    init(version: UInt64, of other: ValueKey, fileID: StaticString, line: UInt) {
        self.other = other
        super.init(version: version, fileID: fileID, line: line)
    }

    override var target: ValueKey? { other }
}

/// What a builder read when it last ran: who overrides none of it waits for the others who build the same.
final class Hint: Sendable {
    let isPinned: Bool
    /// The bits of all that was read, at any remove.
    private let read: UInt64
    /// Those of them that were given after the run.
    private let late = Atomic<UInt64>(0)
    /// How many bits had been given when that was last found out.
    private let givenBits: Atomic<UInt64>
    /// The keys of what was read itself.
    private let keys: [UInt]

    /// While a line is held.
    init(_ inputs: UnsafeBufferPointer<Input>, mask: UInt64, isPinned: Bool) {
        read = mask
        self.isPinned = isPinned
        givenBits = Atomic(Mask.given)
        keys = inputs.lazy.filter { $0.place == nil }.map { UInt(bitPattern: $0.key) }
    }

    func isOf(_ inputs: UnsafeBufferPointer<Input>, mask: UInt64, isPinned: Bool) -> Bool {
        read == mask && self.isPinned == isPinned
            && keys.elementsEqual(inputs.lazy.filter { $0.place == nil }.map { UInt(bitPattern: $0.key) })
    }

    /// The bits of all that was read; `lateBits` finds those that may have been given since.
    func mask(_ lateBits: () -> UInt64) -> UInt64 {
        let given = Mask.given
        if givenBits.load(ordering: .acquiring) != given {  // fault: hint-late-bits
            late.store(lateBits(), ordering: .relaxed)
            givenBits.store(given, ordering: .releasing)
        }
        return read | late.load(ordering: .relaxed)
    }

    func forEachKey(_ body: (ValueKey) -> Void) {
        for key in keys { UnsafeRawPointer(bitPattern: key).map { body(.at($0)) } }
    }
}

/// Holds a hint; read under any line, changed under all.
struct HintPlace: ~Copyable, Sendable {
    private let place = Atomic<Unmanaged<Hint>?>(nil)

    deinit { place.load(ordering: .acquiring)?.release() }

    /// While a line is held.
    @inline(__always)
    var current: Unmanaged<Hint>? { place.load(ordering: .acquiring) }

    func set(_ hint: Hint) {
        let lines = Lines.shared
        lines.lock(.every)
        let old = place.exchange(.passRetained(hint), ordering: .acquiringAndReleasing)
        lines.unlock(.every)
        old?.release()
    }
}
