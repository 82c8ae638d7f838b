import Synchronization

/// What the engine knows of a value whatever its type: its identity, and what was said where it was declared.
///
/// Its address is the key in the scopes' tables, so it is never freed.
package class ValueKey: @unchecked Sendable {
    // Sendable because it never changes but for atomics; the compiler checks that for final classes only.

    /// How long a built value is kept, and for whom.
    let lifetime: ValueLifetime
    /// Whether a scope that forbids defaults lets the value's own builder run.
    let isSafeInTests: Bool
    /// Whether another builder takes its place there.
    let hasTestValue: Bool
    let declaration: Declaration

    /// Where and how a value was declared.
    enum Declaration: Sendable {
        /// As a key type.
        case type(any ScopeKey.Type)
        /// As a `ScopeValue`, with the name it was given.
        case value(name: String?, fileID: StaticString, line: UInt)
    }

    /// The bit that stands for the value in masks; 0 until a scope that has a parent decides on it.
    let bit = Atomic<UInt64>(0)
    /// What the last run of the value's own builder read.
    let hint = HintPlace()
    /// The keys of what builders inherit of the value, linked, each made when it is first asked for.
    private let inheritances = Atomic<Unmanaged<ValueKey>?>(nil)
    /// What it is the key of, where that is something inherited.
    private let inheritance: Inheritance?

    /// What the builder of a value inherits, of that value or of another one.
    struct Inheritance: Sendable {
        /// The value that is inherited.
        fileprivate let origin: ValueKey
        /// The value whose builder inherits: what is inherited lies past the scope that decides on it.
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

    /// The key that scopes set and provide, also of what is inherited.
    @inline(__always)
    package final var base: ValueKey { inheritance?.origin ?? self }

    /// The key whose decision a read goes past, of what is inherited.
    final var passed: ValueKey { inheritance?.heir.base ?? self }

    /// The key of what the builder of a value inherits of this one, where that is kept beside the values themselves.
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
    /// Lets go of the value in a cell, and gives its alignment.
    func deinitializeValue(behind header: UnsafeMutableRawPointer) -> Int { fatalError("a key has a type") }
    /// Copies a value, for texts and for reflection.
    func any(_ value: UnsafeMutableRawPointer) -> Any { fatalError("a key has a type") }
    /// Where in a cell the value lies.
    var valueOffset: Int { fatalError("a key has a type") }
    /// The value in a scope, whatever its type.
    func anyValue(in scope: EnvironmentScope) throws(ScopeError) -> Any { fatalError("a key has a type") }
}

/// The key of values of one type, with their own builder.
final class TypedKey<Value>: ValueKey, @unchecked Sendable {
    let make: @Sendable (EnvironmentScope) throws -> Value
    /// Takes the place of `make` where a scope forbids defaults.
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
    /// The bit of the value, given now where it has none; under no line.
    ///
    /// A value that got its bit later than something was built from it: the advance of the epoch lets every kept value
    /// be looked at again, and masks are made anew then.
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

/// Sets of values that scopes decide on, and that values were built from: a bit for each, shared where there are more.
enum Mask {
    /// Of each scope: a value that belongs to one scope alone is not seen further in.
    static let pinned: UInt64 = 1 << 63
    /// Of a scope with a policy, and of what was built by a default.
    static let policy: UInt64 = 1 << 62
    private static let count: UInt64 = 62
    private static let last = Atomic<UInt64>(0)

    fileprivate static func next() -> UInt64 {
        1 << (last.wrappingAdd(1, ordering: .relaxed).oldValue % count)
    }

    /// How many bits have been given.
    static var given: UInt64 { last.load(ordering: .relaxed) }

    /// Whether more values have bits than there are bits, so that two may have the same.
    static var isShared: Bool { given > count }
}
