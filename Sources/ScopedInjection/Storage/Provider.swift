import Synchronization

/// A builder or an alias that a scope was given for a value.
class Provider: @unchecked Sendable {
    // Sendable because only the hint ever changes; the compiler checks that for final classes only.
    let version: UInt64
    /// The key it was given for, which may be an alias of the one it is stored under.
    let asked: ValueKey
    /// The place in the source where it was given.
    let fileID: StaticString
    let line: UInt
    /// The key that is read instead; nil for a builder.
    let target: ValueKey?
    /// What the last run of the builder read.
    let hint = HintPlace()

    init(
        version: UInt64,
        for asked: ValueKey,
        forwardingTo target: ValueKey? = nil,
        fileID: StaticString,
        line: UInt
    ) {
        self.version = version
        self.asked = asked
        self.target = target
        self.fileID = fileID
        self.line = line
    }
}

/// A builder that was given to a scope.
final class Builder<Value>: Provider, @unchecked Sendable {
    let make: @Sendable (EnvironmentScope) throws -> Value

    init(
        version: UInt64,
        for asked: ValueKey,
        fileID: StaticString,
        line: UInt,
        _ make: @escaping @Sendable (EnvironmentScope) throws -> Value
    ) {
        self.make = make
        super.init(version: version, for: asked, fileID: fileID, line: line)
    }
}

/// The keys and the mask of what a builder read in its last run, which tell whose builds of the value are the same.
final class Hint: Sendable {
    let isPinned: Bool
    /// The bits of all keys that were read, directly or through other values.
    private let read: UInt64
    /// The bits that those keys got after the run.
    private let late = Atomic<UInt64>(0)
    /// The number of bits that were assigned when `late` was computed.
    private let givenBits: Atomic<UInt64>
    /// The keys that the builder itself read.
    private let keys: [UInt]

    /// The caller holds a line.
    init(_ inputs: UnsafeBufferPointer<Input>, mask: UInt64, isPinned: Bool) {
        read = mask
        self.isPinned = isPinned
        givenBits = Atomic(Mask.given)
        keys = inputs.lazy.filter { $0.place == nil }.map { UInt(bitPattern: $0.key) }
    }

    func isOf(_ inputs: UnsafeBufferPointer<Input>, mask: UInt64, isPinned: Bool) -> Bool {
        guard read == mask, self.isPinned == isPinned else { return false }
        var count = 0
        for input in inputs where input.place == nil {
            guard count < keys.count, keys[count] == UInt(bitPattern: input.key) else { return false }
            count += 1
        }
        return count == keys.count
    }

    /// The bits of all keys that were read; `lateBits` finds those that were assigned since the run.
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

/// The place of a hint; read under any line, changed under every line.
struct HintPlace: ~Copyable, Sendable {
    private let place = Atomic<Unmanaged<Hint>?>(nil)

    deinit { place.load(ordering: .acquiring)?.release() }

    /// The caller holds a line.
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
