import Synchronization

/// Where one value lies: set in a scope, or built and kept there.
///
/// Belongs to one scope, its owner, and is read under the owner's reader locks.
class AnyCell: @unchecked Sendable {
    // Sendable because of that rule, and because only values of Sendable types are put in.

    /// The scope that owns the cell.
    let owner: ObjectIdentifier

    /// What a kept value was built from; nil for a value that was set.
    var provenance: Provenance? { origin?.provenance }

    /// Apart, because most cells are of set values.
    private let origin: Origin?

    /// Changes with the value.
    @exclusivity(unchecked) final fileprivate(set) var version: UInt64

    /// Whether a value was built from this one since it last changed.
    final let isInput = Atomic(false)

    fileprivate init(owner: ObjectIdentifier, version: UInt64, provenance: Provenance?) {
        self.owner = owner
        self.version = version
        origin = provenance.map { Origin($0) }
    }

    private final class Origin: Sendable {
        let provenance: Provenance
        init(_ provenance: Provenance) { self.provenance = provenance }
    }

    /// The value, to be looked at by reflection.
    var anyValue: Any { fatalError("a cell has a value") }

    /// The type of the value.
    var valueType: Any.Type { fatalError("a cell has a type") }
}

/// A cell for values of one type.
final class Cell<Value>: AnyCell, @unchecked Sendable {
    // The readers' locks stand in for the exclusivity checks, which would cost more than the read.
    @exclusivity(unchecked) private(set) var value: Value

    required init(_ value: Value, owner: ObjectIdentifier, version: UInt64, provenance: Provenance? = nil) {
        self.value = value
        super.init(owner: owner, version: version, provenance: provenance)
    }

    override var anyValue: Any { value }
    override var valueType: Any.Type { Value.self }

    /// Exchanges the value for another; the old one may only be let go of without locks.
    func exchange(_ other: inout Value, version: UInt64) {
        swap(&value, &other)
        self.version = version
    }
}

extension AnyCell {
    /// The value; `Value` must be the type the cell was made with.
    @inline(__always)
    func value<Value>(as type: Value.Type) -> Value {
        unsafeDowncast(self, to: Cell<Value>.self).value
    }
}
