import Synchronization

/// A reference to an object that somebody else keeps alive: reading by it counts nothing.
///
/// Whoever has one says in its declaration who keeps the object, and for how long; an owner that is no variable of Swift
/// (a node, a list, a thread) retains and releases by hand.
@dynamicMemberLookup
struct Borrowed<Object: AnyObject>: Equatable {
    let unmanaged: Unmanaged<Object>

    @inline(__always)
    init(_ object: Object) { unmanaged = .passUnretained(object) }

    @inline(__always)
    init(_ unmanaged: Unmanaged<Object>) { self.unmanaged = unmanaged }

    /// The object at an address.
    @inline(__always)
    init(at address: UnsafeRawPointer) { unmanaged = .fromOpaque(address) }

    @inline(__always)
    var address: UnsafeRawPointer { UnsafeRawPointer(unmanaged.toOpaque()) }

    /// An object that the caller owns from now on, and releases by hand.
    @inline(__always)
    static func retaining(_ object: __owned Object) -> Self { Self(.passRetained(object)) }

    @inline(__always)
    subscript<Part>(dynamicMember path: KeyPath<Object, Part>) -> Part { with { $0[keyPath: path] } }

    @inline(__always)
    subscript<Part>(dynamicMember path: ReferenceWritableKeyPath<Object, Part>) -> Part {
        get { with { $0[keyPath: path] } }
        nonmutating set { with { $0[keyPath: path] = newValue } }
    }

    /// Calls a function with the object, for what is no property.
    @inline(__always)
    func with<Result>(_ body: (Object) throws -> Result) rethrows -> Result {
        try unmanaged._withUnsafeGuaranteedRef(body)
    }

    /// The object, counted.
    @inline(__always)
    var object: Object { unmanaged.takeUnretainedValue() }

    @inline(__always)
    static func == (one: Self, other: Self) -> Bool { one.unmanaged.toOpaque() == other.unmanaged.toOpaque() }

    // MARK: By an owner

    @inline(__always)
    func retain() -> Self { Self(unmanaged.retain()) }

    @inline(__always)
    func release() { unmanaged.release() }

    /// The object, which the owner gives away.
    @inline(__always)
    func take() -> Object { unmanaged.takeRetainedValue() }

    /// Whether nothing else refers to the object.
    @inline(__always)
    var isUniquelyReferenced: Bool {
        var address = unmanaged.toOpaque()
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: Object.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
        }
    }
}

extension Borrowed: Sendable where Object: Sendable {}

extension Borrowed: AtomicOptionalRepresentable {
    typealias AtomicRepresentation = Unmanaged<Object>.AtomicRepresentation
    typealias AtomicOptionalRepresentation = Unmanaged<Object>.AtomicOptionalRepresentation

    static func encodeAtomicRepresentation(_ value: consuming Self) -> AtomicRepresentation {
        Unmanaged.encodeAtomicRepresentation(value.unmanaged)
    }

    static func decodeAtomicRepresentation(_ storage: consuming AtomicRepresentation) -> Self {
        Self(Unmanaged.decodeAtomicRepresentation(storage))
    }

    static func encodeAtomicOptionalRepresentation(_ value: consuming Self?) -> AtomicOptionalRepresentation {
        Unmanaged.encodeAtomicOptionalRepresentation(value?.unmanaged)
    }

    static func decodeAtomicOptionalRepresentation(_ storage: consuming AtomicOptionalRepresentation) -> Self? {
        Unmanaged<Object>.decodeAtomicOptionalRepresentation(storage).map { Self($0) }
    }
}
