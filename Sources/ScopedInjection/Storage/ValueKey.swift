import Synchronization

/// The identity of a value, and its declaration, without its type.
///
/// It is the address of a record that is never freed, so it is not counted: all threads that read a value would
/// contend for the count.
package struct ValueKey: Sendable {
    private let record: Unmanaged<KeyRecord>

    @inline(__always)
    init(_ record: KeyRecord) { self.record = .passUnretained(record) }

    /// - Parameter address: The address of a key.
    @inline(__always)
    static func at(_ address: UnsafeRawPointer) -> ValueKey { ValueKey(address) }

    @inline(__always)
    private init(_ address: UnsafeRawPointer) { record = .fromOpaque(address) }

    @inline(__always)
    var address: UnsafeRawPointer { UnsafeRawPointer(record.toOpaque()) }

    /// How long a built value is kept, and for whom.
    var lifetime: ValueLifetime { record._withUnsafeGuaranteedRef { $0.lifetime } }
    /// Whether the value's own builder may run in a scope that forbids defaults.
    var isSafeInTests: Bool { record._withUnsafeGuaranteedRef { $0.isSafeInTests } }
    var ownDefault: OwnDefault { record._withUnsafeGuaranteedRef { $0.ownDefault } }
    /// Whether another builder replaces it there.
    var hasTestValue: Bool { record._withUnsafeGuaranteedRef { $0.hasTestValue } }
    var declaration: Declaration { record._withUnsafeGuaranteedRef { $0.declaration } }

    /// What a value is where nothing is set or provided.
    enum OwnDefault: Sendable {
        /// Missing: the value has to be set or provided.
        case none
        case constant
        /// What a builder makes of it, or throws.
        case built
    }

    /// Where and how a value was declared.
    enum Declaration: Sendable {
        /// By a key type.
        case type(any ScopeKey.Type)
        /// By a `ScopeValue`, with the name it was given.
        case value(name: String?, fileID: StaticString, line: UInt)
    }

    /// The bit of the key in masks; 0 until a scope that has a parent decides on it.
    @inline(__always)
    var bit: UInt64 { record._withUnsafeGuaranteedRef { $0.bit.load(ordering: .relaxed) } }

    /// One of 64 bits, by the identity of the key; it never changes.
    @inline(__always)
    var hashBit: UInt64 {
        // As an unsigned number, because the hash is negative for half of the keys if an `Int` has 32 bits.
        1 << UInt64(UInt32(truncatingIfNeeded: Slot.hash(address)) >> 26)
    }

    /// What the last run of the value's own builder read; the caller holds a line.
    @inline(__always)
    var hint: Unmanaged<Hint>? { record._withUnsafeGuaranteedRef { $0.hint.current } }

    func setHint(_ hint: Hint) { record._withUnsafeGuaranteedRef { $0.hint.set(hint) } }

    // MARK: Inherited values

    /// The key that scopes set and provide; for an inherited value, the key of the value itself.
    @inline(__always)
    package var base: ValueKey { record._withUnsafeGuaranteedRef { $0.inheritance?.origin } ?? self }

    /// The key of the decision that a read skips; for an ordinary key, the key itself.
    var passed: ValueKey { record._withUnsafeGuaranteedRef { $0.inheritance?.heir } ?? self }

    /// The key of the inherited value of this one in a builder of `heir`.
    func inherited(by heir: ValueKey) -> ValueKey { record._withUnsafeGuaranteedRef { $0.inherited(base, by: heir) } }

    // MARK: What depends on the type of the value

    /// The type of the value.
    var valueType: Any.Type { record._withUnsafeGuaranteedRef { $0.valueType } }

    /// Deinitializes the value in a cell, and returns its alignment.
    func deinitializeValue(behind header: UnsafeMutableRawPointer) -> Int {
        record._withUnsafeGuaranteedRef { $0.deinitializeValue(behind: header) }
    }

    /// Copies a value, for texts and for reflection.
    func any(_ cell: Cell) -> Any { record._withUnsafeGuaranteedRef { $0.any(cell) } }

    /// The value in a scope, whatever its type.
    func anyValue(in scope: EnvironmentScope) throws(ScopeError) -> Any {
        try record.takeUnretainedValue().anyValue(in: scope)
    }

    /// The key with its type, which the caller knows.
    @inline(__always)
    func typed<Value>(as _: Value.Type) -> TypedKey<Value> { TypedKey(self) }
}

extension ValueKey: Hashable {
    @inline(__always)
    package static func == (one: ValueKey, other: ValueKey) -> Bool { one.address == other.address }

    package func hash(into hasher: inout Hasher) { hasher.combine(address) }
}

/// The key of a value of one type.
struct TypedKey<Value>: Sendable {
    typealias Make = @Sendable (EnvironmentScope) throws -> Value

    /// The key without its type.
    let key: ValueKey

    @inline(__always)
    fileprivate init(_ key: ValueKey) { self.key = key }

    /// The key of a record, which is never freed.
    init(_ record: TypedKeyRecord<Value>) { key = ValueKey(record) }

    @inline(__always)
    var address: UnsafeRawPointer { key.address }

    /// Calls the value's own builder, or the one that replaces it where a scope forbids defaults.
    func make(in scope: EnvironmentScope, isInTests: Bool) throws -> Value {
        try Unmanaged<TypedKeyRecord<Value>>.fromOpaque(address)._withUnsafeGuaranteedRef { record in
            if isInTests, let make = record.makeInTests { return try make(scope) }
            return try record.make(scope)
        }
    }
}

extension ValueKey {
    /// Gives the key a bit if it has none; the caller holds no line.
    func assignBit() {
        if bit != 0 { return }
        let lines = Lines.shared
        lines.lock(.every)
        assignBit(whileHolding: lines)
        lines.unlock(.every)
    }

    /// Gives the key a bit if it has none; the caller holds every line.
    ///
    /// A value may have been built from this one before. So the epoch advances: every kept value is checked again,
    /// and gets a new mask.
    func assignBit(whileHolding lines: Lines) {
        guard bit == 0 else { return }
        record._withUnsafeGuaranteedRef { $0.bit.store(Mask.next(), ordering: .releasing) }
        lines.advanceEpoch()  // fault: late-bit
    }
}

/// Sets of keys as 64 bits; with more keys than bits, keys share bits.
enum Mask {
    /// In the `decides` of every node, so that no scope further in sees a pinned value.
    static let pinned: UInt64 = 1 << 63
    /// In the `decides` of a scope with a policy, or that a test watches, and in the mask of a value that was built by a default.
    static let policy: UInt64 = 1 << 62
    private static let count: UInt64 = 62
    private static let last = Atomic<UInt64>(0)

    fileprivate static func next() -> UInt64 {
        1 << (last.wrappingAdd(1, ordering: .relaxed).oldValue % count)
    }

    /// How many bits have been assigned.
    static var given: UInt64 { last.load(ordering: .relaxed) }

    /// Whether two keys may have the same bit, because there are more keys than bits.
    static var isShared: Bool { given > count }
}
