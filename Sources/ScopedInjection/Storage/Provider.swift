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
    /// The bits of all that was read, at any remove.
    let mask: UInt64
    let isPinned: Bool
    /// The keys of what was read itself.
    private let keys: [UInt]

    init(_ inputs: UnsafeBufferPointer<Input>, mask: UInt64, isPinned: Bool) {
        self.mask = mask
        self.isPinned = isPinned
        keys = inputs.lazy.filter { $0.place == nil }.map { UInt(bitPattern: $0.key) }
    }

    func isOf(_ inputs: UnsafeBufferPointer<Input>, mask: UInt64, isPinned: Bool) -> Bool {
        self.mask == mask && self.isPinned == isPinned
            && keys.elementsEqual(inputs.lazy.filter { $0.place == nil }.map { UInt(bitPattern: $0.key) })
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
