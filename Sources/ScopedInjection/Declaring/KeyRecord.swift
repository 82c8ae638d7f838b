import Synchronization

/// What is known of a value: where and how it was declared, and its own builder.
///
/// Tables are keyed by its address, so it is never freed.
class KeyRecord: @unchecked Sendable {
    // Sendable because only atomics ever change; the compiler checks that for final classes only.

    /// Whether a built value is never kept.
    let isTransient: Bool
    /// The role of the scope that keeps a value which is begun once, and stays.
    let role: ValueKey?
    let isSafeInTests: Bool
    let ownDefault: ValueKey.OwnDefault
    let declaration: Declaration
    /// The constant that is the value where nothing is set or provided; never freed.
    let constant: UnsafeRawPointer?
    let bit: Atomic<UInt64>
    let hint = HintHolder()

    fileprivate init(
        _ declaration: Declaration,
        _ lifetime: ValueLifetime,
        isSafeInTests: Bool,
        _ ownDefault: ValueKey.OwnDefault,
        constant: UnsafeRawPointer?,
        bit: UInt64
    ) {
        self.declaration = declaration
        isTransient = lifetime == .transient
        role = if case .once(let role) = lifetime { role.key } else { nil }
        self.isSafeInTests = isSafeInTests
        self.ownDefault = ownDefault
        self.constant = constant
        // A request may set a new member of a family, and is not to take the lines of all threads for a bit.
        self.bit = Atomic(declaration.id == nil ? bit : Mask.families)
        _ = Borrowed.retaining(self)
    }

    // MARK: What depends on the type of the value

    /// The type of the value.
    var valueType: Any.Type { fatalError("a key has a type") }
    /// Deinitializes the value in a cell, and returns its alignment.
    func deinitializeValue(behind start: UnsafeMutableRawPointer) -> Int { fatalError("a key has a type") }
    /// The value in a cell.
    func anyValue(behind start: UnsafeMutableRawPointer) -> Any { fatalError("a key has a type") }
    /// Whether another builder replaces the value's own where a scope forbids or reports defaults, which is in tests only.
    var hasTestValue: Bool { fatalError("a key has a type") }
}

/// What is known of a value of one type.
final class TypedKeyRecord<Value>: KeyRecord, @unchecked Sendable {
    let make: TypedKey<Value>.Make
    /// Replaces `make` where a scope forbids or reports defaults.
    let makeInTests: TypedKey<Value>.Make?

    /// Of a value whose default is built, or of one that has none.
    init(
        _ declaration: Declaration,
        _ lifetime: ValueLifetime,
        isSafeInTests: Bool,
        _ ownDefault: ValueKey.OwnDefault,
        inTests makeInTests: TypedKey<Value>.Make?,
        make: @escaping TypedKey<Value>.Make
    ) {
        self.make = make
        self.makeInTests = makeInTests
        super.init(declaration, lifetime, isSafeInTests: isSafeInTests, ownDefault, constant: nil, bit: 0)
    }

    /// Of a value whose default is a constant.
    init(
        _ declaration: Declaration,
        isSafeInTests: Bool,
        inTests makeInTests: TypedKey<Value>.Make?,
        constant: consuming Value,
        bit: UInt64 = 0
    ) {
        let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        memory.initialize(to: constant)
        let address = UnsafeRawPointer(memory)
        nonisolated(unsafe) let constant = address
        make = { _ in constant.assumingMemoryBound(to: Value.self).pointee }
        self.makeInTests = makeInTests
        super.init(declaration, .shared, isSafeInTests: isSafeInTests, .constant, constant: address, bit: bit)
    }

    override var valueType: Any.Type { Value.self }

    override func deinitializeValue(behind start: UnsafeMutableRawPointer) -> Int {
        // Not by `deinitialize`, which is made for arrays and takes three times as long.
        _ = Memory.address(of: Value.self, behind: start).assumingMemoryBound(to: Value.self).move()
        return MemoryLayout<Value>.alignment
    }

    override func anyValue(behind start: UnsafeMutableRawPointer) -> Any {
        Memory.address(of: Value.self, behind: start).assumingMemoryBound(to: Value.self).pointee
    }

    override var hasTestValue: Bool { makeInTests != nil && TestRun.isUnderWay }
}
