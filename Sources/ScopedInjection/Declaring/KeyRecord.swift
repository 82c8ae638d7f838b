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
    let size: Int
    let alignment: Int
    /// Makes the value in memory that is not initialized.
    let make: Make
    /// Replaces `make` where a scope forbids or reports defaults.
    let makeInTests: Make?

    typealias Make = @Sendable (ScopeReader, UnsafeMutableRawPointer) throws -> Void

    init(
        _ declaration: Declaration,
        _ lifetime: ValueLifetime,
        isSafeInTests: Bool,
        _ ownDefault: ValueKey.OwnDefault,
        constant: UnsafeRawPointer? = nil,
        bit: UInt64 = 0,
        inTests makeInTests: Make?,
        make: @escaping Make
    ) {
        (size, alignment) = Self.layout
        (self.make, self.makeInTests) = (make, makeInTests)
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

    /// Whether another builder replaces the value's own where a scope forbids or reports defaults, which is in tests only.
    var hasTestValue: Bool { makeInTests != nil && TestRun.isUnderWay }

    // MARK: What depends on the type of the value

    class var layout: (size: Int, alignment: Int) { fatalError("a key has a type") }
    /// The type of the value.
    var valueType: Any.Type { fatalError("a key has a type") }
    /// Initializes memory with a copy of a value.
    func copyValue(at address: UnsafeRawPointer, to memory: UnsafeMutableRawPointer) { fatalError("a key has a type") }
    func destroyValue(at address: UnsafeMutableRawPointer) { fatalError("a key has a type") }
    func anyValue(at address: UnsafeRawPointer) -> Any { fatalError("a key has a type") }
}

/// What is known of a value of one type.
final class TypedKeyRecord<Value>: KeyRecord, @unchecked Sendable {
    /// Of a value whose default is a constant.
    convenience init(
        _ declaration: Declaration,
        isSafeInTests: Bool,
        inTests makeInTests: Make?,
        constant: consuming Value,
        bit: UInt64 = 0
    ) {
        let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        memory.initialize(to: constant)
        let address = UnsafeRawPointer(memory)
        nonisolated(unsafe) let constant = address
        self.init(
            declaration,
            .shared,
            isSafeInTests: isSafeInTests,
            .constant,
            constant: address,
            bit: bit,
            inTests: makeInTests
        ) { _, memory in
            memory.initializeMemory(as: Value.self, to: constant.assumingMemoryBound(to: Value.self).pointee)
        }
    }

    override class var layout: (size: Int, alignment: Int) { (MemoryLayout<Value>.size, MemoryLayout<Value>.alignment) }
    override var valueType: Any.Type { Value.self }

    override func copyValue(at address: UnsafeRawPointer, to memory: UnsafeMutableRawPointer) {
        memory.initializeMemory(as: Value.self, to: address.assumingMemoryBound(to: Value.self).pointee)
    }

    override func destroyValue(at address: UnsafeMutableRawPointer) {
        // Not by `deinitialize`, which is made for arrays and takes three times as long.
        _ = address.assumingMemoryBound(to: Value.self).move()
    }

    override func anyValue(at address: UnsafeRawPointer) -> Any {
        address.assumingMemoryBound(to: Value.self).pointee
    }
}
