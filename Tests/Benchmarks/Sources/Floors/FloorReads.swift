internal import BlackHole

/// Reads that cannot be cheaper, `count` times one after the other: of a task-local that leads to a table, and of one
/// place of the table under one line.
public struct FloorReads: Sendable {
    private static let key: UInt = 0x1_0040

    private final class Object: Numbered {
        let number = 1
    }

    private struct Slot {
        let key: UInt
        let number: Int
        let object: Object
        let existential: any Numbered
    }

    /// A table of eight places that is never freed.
    private final class Table: @unchecked Sendable {
        // Sendable because nothing of it ever changes.
        let slots: UnsafeMutablePointer<Slot>

        init() {
            slots = .allocate(capacity: 8)
            let object = Object()
            slots.initialize(repeating: Slot(key: key, number: 1, object: object, existential: object), count: 8)
        }
    }

    @TaskLocal private static var current: Table?

    private let table = Table()

    /// Creates the table and what is read there.
    public init() {}

    /// Runs code with the table as the current one.
    public func entered(_ body: () -> Void) { Self.$current.withValue(table, operation: body) }

    /// Reads an integer.
    @inline(never)
    public func readInteger(_ count: Int) {
        for _ in 0..<count { blackHole(Self.read(Self.key) { $0.number }) }
    }

    /// Reads an object.
    @inline(never)
    public func readObject(_ count: Int) {
        for _ in 0..<count { blackHole(Self.object().number) }
    }

    /// Reads an object through a protocol.
    @inline(never)
    public func readExistential(_ count: Int) {
        for _ in 0..<count { blackHole(Self.existential().number) }
    }

    @inline(never)
    private static func object() -> Object { read(key) { $0.object } }

    @inline(never)
    private static func existential() -> any Numbered { read(key) { $0.existential } }

    @inline(__always)
    private static func read<Result>(_ key: UInt, _ copy: (borrowing Slot) -> Result) -> Result {
        guard let table = current else { fatalError("no table is entered") }
        return FloorLines.withLine {
            let slot = table.slots + Int(truncatingIfNeeded: (UInt64(key) &* 0x9E37_79B9_7F4A_7C15) >> 61)
            guard slot.pointee.key == key else { fatalError("the table has no such value") }
            return copy(slot.pointee)
        }
    }
}

private protocol Numbered: Sendable {
    var number: Int { get }
}
