import Synchronization

/// What is known of a value: its declaration, and its own builder.
///
/// Tables are keyed by its address, so it is never freed.
class KeyRecord: @unchecked Sendable {
    // Sendable because only atomics ever change; the compiler checks that for final classes only.

    let lifetime: ValueLifetime
    let isSafeInTests: Bool
    let ownDefault: ValueKey.OwnDefault
    let declaration: ValueKey.Declaration

    let bit = Atomic<UInt64>(0)
    let hint = HintPlace()
    /// The keys of inherited values of this one, as a linked list; each is made when it is first asked for.
    private let inheritances = Atomic<Unmanaged<KeyRecord>?>(nil)
    /// The inherited value that this is the key of; nil for an ordinary key.
    let inheritance: Inheritance?

    /// An inherited value: `origin` as the builder of `heir` sees it past the scope that provided that builder.
    struct Inheritance: Sendable {
        /// The value that is inherited.
        let origin: ValueKey
        /// The value whose builder inherits; the read skips the decision on it.
        let heir: ValueKey
        fileprivate let next: Unmanaged<KeyRecord>?
    }

    fileprivate init(
        _ lifetime: ValueLifetime,
        isSafeInTests: Bool,
        _ ownDefault: ValueKey.OwnDefault,
        _ declaration: ValueKey.Declaration,
        _ inheritance: Inheritance?
    ) {
        self.ownDefault = ownDefault
        self.inheritance = inheritance
        self.lifetime = lifetime
        self.isSafeInTests = isSafeInTests
        self.declaration = declaration
        _ = Unmanaged.passRetained(self)
    }

    /// The key of the inherited value of `origin`, whose record this is, in a builder of `heir`.
    final func inherited(_ origin: ValueKey, by heir: ValueKey) -> ValueKey {
        while true {
            let first = inheritances.load(ordering: .acquiring)
            var known = first
            while let record = known?.takeUnretainedValue(), let inheritance = record.inheritance {
                if inheritance.heir == heir { return ValueKey(record) }
                known = inheritance.next
            }
            let made = Unmanaged.passUnretained(makeInherited(Inheritance(origin: origin, heir: heir, next: first)))
            let (isAdded, _) = inheritances.compareExchange(
                expected: first,
                desired: made,
                ordering: .acquiringAndReleasing
            )
            if isAdded { return ValueKey(made.takeUnretainedValue()) }
        }
    }

    // MARK: What depends on the type of the value

    fileprivate func makeInherited(_: Inheritance) -> KeyRecord { fatalError("a key has a type") }

    /// The type of the value.
    var valueType: Any.Type { fatalError("a key has a type") }
    /// Deinitializes the value in a cell, and returns its alignment.
    func deinitializeValue(behind header: UnsafeMutableRawPointer) -> Int { fatalError("a key has a type") }
    /// Whether another builder replaces the value's own where a scope forbids defaults.
    var hasTestValue: Bool { fatalError("a key has a type") }
    /// Copies a value, for texts and for reflection.
    func any(_ cell: Cell) -> Any { fatalError("a key has a type") }
    /// The value in a scope, whatever its type.
    func anyValue(in scope: EnvironmentScope) throws(ScopeError) -> Any { fatalError("a key has a type") }
}

/// What is known of a value of one type.
final class TypedKeyRecord<Value>: KeyRecord, @unchecked Sendable {
    let make: TypedKey<Value>.Make
    /// Replaces `make` where a scope forbids defaults.
    let makeInTests: TypedKey<Value>.Make?

    init(
        _ lifetime: ValueLifetime,
        isSafeInTests: Bool,
        _ ownDefault: ValueKey.OwnDefault,
        _ declaration: ValueKey.Declaration,
        _ inheritance: Inheritance? = nil,
        inTests makeInTests: TypedKey<Value>.Make? = nil,
        make: @escaping TypedKey<Value>.Make
    ) {
        self.make = make
        self.makeInTests = makeInTests
        super.init(lifetime, isSafeInTests: isSafeInTests, ownDefault, declaration, inheritance)
    }

    override fileprivate func makeInherited(_ inheritance: Inheritance) -> KeyRecord {
        TypedKeyRecord(
            lifetime,
            isSafeInTests: isSafeInTests,
            ownDefault,
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

    override var hasTestValue: Bool { makeInTests != nil }

    override func any(_ cell: Cell) -> Any { cell.value(as: Value.self) }

    override func anyValue(in scope: EnvironmentScope) throws(ScopeError) -> Any {
        try scope.value(of: TypedKey(self))
    }
}
