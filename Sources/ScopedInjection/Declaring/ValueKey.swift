import Synchronization

/// The identity of a value, and its declaration, without its type.
///
/// It is the address of a record that is never freed, so it is not counted: all threads that read a value would
/// contend for the count.
package struct ValueKey: Sendable {
    private let record: Borrowed<KeyRecord>

    @inline(__always)
    init(_ record: KeyRecord) { self.record = Borrowed(record) }

    /// - Parameter address: The address of a key.
    @inline(__always)
    static func at(_ address: UnsafeRawPointer) -> ValueKey { ValueKey(address) }

    @inline(__always)
    fileprivate init(_ address: UnsafeRawPointer) { record = Borrowed(at: address) }

    @inline(__always)
    var address: UnsafeRawPointer { record.address }

    /// What a value is where nothing is set or provided.
    enum OwnDefault: Sendable {
        /// Missing: the value has to be set or provided.
        case none
        case constant
        /// What a builder makes of it, or throws.
        case built
    }

    /// How long a built value is kept, and for whom.
    package var lifetime: ValueLifetime { isTransient ? .transient : role.map { .once(in: ScopeRole($0)) } ?? .shared }
    var isTransient: Bool { record.isTransient }
    /// The role of the scope that keeps a value which is begun once, and stays; nil for other values.
    @inline(__always)
    var role: ValueKey? { record.role }
    /// The bit of that role; 0 for other values.
    var roleBit: UInt64 { role?.bit ?? 0 }
    /// Whether the value's own default may be used in a scope that forbids defaults.
    var isSafeInTests: Bool { record.isSafeInTests }
    var ownDefault: OwnDefault { record.ownDefault }
    /// Whether another builder replaces it there.
    var hasTestValue: Bool { record.hasTestValue }
    /// Whether a test that is given the value's own default is told.
    package var hasLiveDefault: Bool { !isSafeInTests && !hasTestValue && ownDefault != .none }
    /// The value as a member of a scope in code; nil where its declaration has parameters.
    package var codeMember: String? { declaration.nameInCode.map { ".\($0)" } }
    /// The value as code names it; nil where its declaration has no name, or parameters.
    package var codeName: String? { codeMember.map { "\\\($0)" } }
    var declaration: Declaration { record.declaration }
    @inline(__always)
    func isDeclared(at line: UInt, _ column: UInt) -> Bool {
        record.with { $0.declaration.line == line && $0.declaration.column == column }
    }
    /// Calls the code of the identifier.
    @inline(__always)
    func isDeclared(at line: UInt, _ column: UInt, id: some Hashable) -> Bool {
        isDeclared(at: line, column) && record.with { $0.declaration.id?.isEqual(to: id) == true }
    }
    /// The address of the constant that is the value's own default.
    @inline(__always)
    var constant: UnsafeRawPointer? { record.constant }

    /// The bit of the key in masks; 0 until a scope that has a parent decides on it.
    ///
    /// All values of families have one bit, from the start.
    @inline(__always)
    var bit: UInt64 { record.with { $0.bit.load(ordering: .relaxed) } }

    /// The hash of the key at an address.
    @inline(__always)
    static func hash(_ key: UnsafeRawPointer) -> Int {
        Int(truncatingIfNeeded: (UInt64(UInt(bitPattern: key)) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    /// One of 64 bits, by the identity of the key; it never changes.
    @inline(__always)
    var hashBit: UInt64 { ValueKey.hashBit(of: ValueKey.hash(address)) }

    @inline(__always)
    static func hashBit(of hash: Int) -> UInt64 {
        // As an unsigned number, because the hash is negative for half of the keys if an `Int` has 32 bits.
        1 << UInt64(UInt32(truncatingIfNeeded: hash) >> 26)
    }

    /// What the last run of the value's own builder read; the caller holds a line.
    @inline(__always)
    var hint: Borrowed<Hint>? { record.with { $0.hint.current } }

    func exchangeHint(_ hint: Hint) -> Borrowed<Hint>? { record.with { $0.hint.exchange(hint) } }

    // MARK: What depends on the type of the value

    /// The type of the value.
    var valueType: Any.Type { record.valueType }

    @inline(__always)
    var size: Int { record.size }
    @inline(__always)
    var alignment: Int { record.alignment }

    /// Initializes memory with a copy of a value.
    @inline(__always)
    func copyValue(at address: UnsafeRawPointer, to memory: UnsafeMutableRawPointer) {
        record.with { $0.copyValue(at: address, to: memory) }
    }

    @inline(__always)
    func destroyValue(at address: UnsafeMutableRawPointer) { record.with { $0.destroyValue(at: address) } }

    func anyValue(at address: UnsafeRawPointer) -> Any { record.with { $0.anyValue(at: address) } }

    /// Calls the value's own builder, or the one that replaces it in tests.
    @inline(__always)
    func make(_ reader: ScopeReader, isInTests: Bool, into memory: UnsafeMutableRawPointer) throws {
        try record.with { record in
            if isInTests, let make = record.makeInTests { return try make(reader, memory) }
            try record.make(reader, memory)
        }
    }

    /// The key with its type, which the caller knows.
    @inline(__always)
    func typed<Value>(as _: Value.Type) -> TypedKey<Value> { TypedKey(self) }

    // MARK: The bit

    /// Gives the key a bit if it has none; the caller holds no line.
    ///
    /// A value may have been built from this one before. But the count of bits is a part of every stamp, so all kept
    /// values are checked again, and get new masks.
    func assignBit() {
        let lines = Lines.shared
        lines.lock(.every)
        if bit == 0 { record.with { $0.bit.store(Mask.bit(lines.giveBit()), ordering: .releasing) } }
        lines.unlock(.every)
    }
}

extension ValueKey: Hashable {
    @inline(__always)
    package static func == (one: ValueKey, other: ValueKey) -> Bool { one.address == other.address }

    package func hash(into hasher: inout Hasher) { hasher.combine(address) }
}

/// The key of a value of one type.
struct TypedKey<Value>: Sendable {
    typealias Make = @Sendable (ScopeReader) throws -> Value

    /// The key without its type.
    let key: ValueKey

    @inline(__always)
    fileprivate init(_ key: ValueKey) { self.key = key }

    init(_ record: TypedKeyRecord<Value>) { key = ValueKey(record) }

    /// - Parameter address: The address of a key of this type.
    @inline(__always)
    init(_ address: UnsafeRawPointer) { key = ValueKey(address) }

    @inline(__always)
    var address: UnsafeRawPointer { key.address }
}
