/// Tells the values of a family from each other.
///
/// Its members call the code of the identifier, which is the user's, so the caller holds no lock.
class Identifier: @unchecked Sendable {
    // Sendable because nothing of it changes; the compiler checks that for final classes only.

    /// Never 0, which stands for no identifier.
    let hash: Int
    private let type: ObjectIdentifier

    fileprivate init(hash: Int, type: ObjectIdentifier) { (self.hash, self.type) = (hash, type) }

    static func make<ID: Hashable & Sendable>(_ id: ID) -> Identifier { TypedIdentifier(id) }

    static func hash(of id: some Hashable) -> Int { id.hashValue | 1 }

    /// Whether it is an identifier of the same type, and equal: 1 and `UInt8(1)` are two.
    @inline(__always)
    final func isEqual<ID: Hashable>(to other: ID) -> Bool {
        // Safe because the type is that of the subclass's identifier.
        type == ObjectIdentifier(ID.self) && unsafeDowncast(self, to: TypedIdentifier<ID>.self).id == other
    }

    func isEqual(to other: Identifier) -> Bool { fatalError("an identifier has a type") }
    /// The identifier, for texts.
    var value: Any { fatalError("an identifier has a type") }
}

private final class TypedIdentifier<ID: Hashable>: Identifier, @unchecked Sendable {
    let id: ID

    init(_ id: ID) {
        self.id = id
        super.init(hash: Self.hash(of: id), type: ObjectIdentifier(ID.self))
    }

    override func isEqual(to other: Identifier) -> Bool { other.hash == hash && other.isEqual(to: id) }
    override var value: Any { id }
}
