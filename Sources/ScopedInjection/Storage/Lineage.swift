/// Held by every scope that reads through another one, so that the other can tell whether any is left.
final class Lineage: Sendable {}

extension Optional where Wrapped == Lineage {
    /// Whether someone besides the owner holds the lineage.
    var isShared: Bool {
        mutating get { self != nil && !isKnownUniquelyReferenced(&self) }
    }

    /// The address, which no other lineage has as long as somebody holds this one.
    var address: UInt { map { UInt(bitPattern: ObjectIdentifier($0)) } ?? 0 }
}
