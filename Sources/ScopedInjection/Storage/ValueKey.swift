import Synchronization

/// The identity of a value, and its declaration, without its type.
///
/// Tables are keyed by its address, so it is never freed.
package class ValueKey: @unchecked Sendable {
    // Sendable because only atomics ever change; the compiler checks that for final classes only.

    /// How long a built value is kept, and for whom.
    let lifetime: ValueLifetime
    /// Whether the value's own builder may run in a scope that forbids defaults.
    let isSafeInTests: Bool
    /// Whether another builder replaces it there.
    let hasTestValue: Bool
    let declaration: Declaration

    /// Where and how a value was declared.
    enum Declaration: Sendable {
        /// By a key type.
        case type(any ScopeKey.Type)
        /// By a `ScopeValue`, with the name it was given.
        case value(name: String?, fileID: StaticString, line: UInt)
    }

    /// The bit of the key in masks; 0 until a scope that has a parent decides on it.
    let bit = Atomic<UInt64>(0)
    /// What the last run of the value's own builder read.
    let hint = HintPlace()
    /// The keys of inherited values of this one, as a linked list; each is made when it is first asked for.
    private let inheritances = Atomic<Unmanaged<ValueKey>?>(nil)
    /// The inherited value that this is the key of; nil for an ordinary key.
    private let inheritance: Inheritance?

    /// An inherited value: `origin` as the builder of `heir` sees it past the scope that provided that builder.
    struct Inheritance: Sendable {
        /// The value that is inherited.
        fileprivate let origin: ValueKey
        /// The value whose builder inherits; the read skips the decision on it.
        fileprivate let heir: ValueKey
        fileprivate let next: ValueKey?
    }

    fileprivate init(
        _ lifetime: ValueLifetime,
        isSafeInTests: Bool,
        hasTestValue: Bool,
        _ declaration: Declaration,
        _ inheritance: Inheritance?
    ) {
        self.inheritance = inheritance
        self.hasTestValue = hasTestValue
        self.lifetime = lifetime
        self.isSafeInTests = isSafeInTests
        self.declaration = declaration
        _ = Unmanaged.passRetained(self)
    }

    @inline(__always)
    final var address: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    static func at(_ address: UnsafeRawPointer) -> ValueKey {
        Unmanaged<ValueKey>.fromOpaque(address)._withUnsafeGuaranteedRef { $0 }
    }

    /// The key that scopes set and provide; for an inherited value, the key of the value itself.
    @inline(__always)
    package final var base: ValueKey { inheritance?.origin ?? self }

    /// The key of the decision that a read skips; for an ordinary key, the key itself.
    final var passed: ValueKey { inheritance?.heir.base ?? self }

    /// The key of the inherited value of this one in a builder of `heir`, for keeping it beside the value itself.
    final func inherited(by heir: ValueKey) -> ValueKey {
        while true {
            let first = inheritances.load(ordering: .acquiring)
            var known = first?.takeUnretainedValue()
            while let key = known, let inheritance = key.inheritance {
                if inheritance.heir === heir { return key }
                known = inheritance.next
            }
            let made = makeInherited(Inheritance(origin: base, heir: heir, next: first?.takeUnretainedValue()))
            let (isAdded, _) = inheritances.compareExchange(
                expected: first,
                desired: .passUnretained(made),
                ordering: .acquiringAndReleasing
            )
            if isAdded { return made }
        }
    }

    // MARK: What depends on the type of the value

    fileprivate func makeInherited(_: Inheritance) -> ValueKey { fatalError("a key has a type") }

    /// The type of the value.
    var valueType: Any.Type { fatalError("a key has a type") }
    /// Deinitializes the value in a cell, and returns its alignment.
    func deinitializeValue(behind header: UnsafeMutableRawPointer) -> Int { fatalError("a key has a type") }
    /// Copies a value, for texts and for reflection.
    func any(_ value: UnsafeMutableRawPointer) -> Any { fatalError("a key has a type") }
    /// The offset of the value in a cell.
    var valueOffset: Int { fatalError("a key has a type") }
    /// The value in a scope, whatever its type.
    func anyValue(in scope: EnvironmentScope) throws(ScopeError) -> Any { fatalError("a key has a type") }
}

/// The key of a value of one type, with the value's own builder.
final class TypedKey<Value>: ValueKey, @unchecked Sendable {
    let make: @Sendable (EnvironmentScope) throws -> Value
    /// Replaces `make` where a scope forbids defaults.
    let makeInTests: (@Sendable (EnvironmentScope) throws -> Value)?

    init(
        _ lifetime: ValueLifetime,
        isSafeInTests: Bool,
        _ declaration: Declaration,
        _ inheritance: Inheritance? = nil,
        inTests makeInTests: (@Sendable (EnvironmentScope) throws -> Value)? = nil,
        make: @escaping @Sendable (EnvironmentScope) throws -> Value
    ) {
        self.make = make
        self.makeInTests = makeInTests
        super.init(
            lifetime,
            isSafeInTests: isSafeInTests,
            hasTestValue: makeInTests != nil,
            declaration,
            inheritance
        )
    }

    override fileprivate func makeInherited(_ inheritance: Inheritance) -> ValueKey {
        TypedKey(
            lifetime,
            isSafeInTests: isSafeInTests,
            declaration,
            inheritance,
            inTests: makeInTests,
            make: make
        )
    }

    override var valueType: Any.Type { Value.self }

    override func deinitializeValue(behind header: UnsafeMutableRawPointer) -> Int {
        (header + Cell.valueOffset(Value.self)).assumingMemoryBound(to: Value.self).deinitialize(count: 1)
        return MemoryLayout<Value>.alignment
    }

    override func any(_ value: UnsafeMutableRawPointer) -> Any { value.assumingMemoryBound(to: Value.self).pointee }

    override var valueOffset: Int { Cell.valueOffset(Value.self) }

    override func anyValue(in scope: EnvironmentScope) throws(ScopeError) -> Any { try scope.value(of: self) }
}

extension ValueKey {
    /// The bit of the key, assigned now if it has none; the caller holds no line.
    ///
    /// A value may have been built from this one before. So the epoch advances: every kept value is checked again,
    /// and gets a new mask.
    func assignBit() -> UInt64 {
        let known = bit.load(ordering: .acquiring)
        if known != 0 { return known }
        let lines = Lines.shared
        lines.lock(.every)
        defer { lines.unlock(.every) }
        if bit.load(ordering: .relaxed) == 0 {
            bit.store(Mask.next(), ordering: .releasing)
            lines.advanceEpoch()  // fault: late-bit
        }
        return bit.load(ordering: .relaxed)
    }
}

/// Sets of keys as 64 bits; with more keys than bits, keys share bits.
enum Mask {
    /// In the `decides` of every node, so that no scope further in sees a pinned value.
    static let pinned: UInt64 = 1 << 63
    /// In the `decides` of a scope with a policy, and in the mask of a value that was built by a default.
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
