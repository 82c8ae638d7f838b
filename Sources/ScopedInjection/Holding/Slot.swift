/// The entry of a node for one key.
struct Slot {
    /// The address of the key; nil in a free slot.
    var key: UnsafeRawPointer?
    /// The value: set, or built and kept.
    var cell: Cell?
    /// The provider; owned, and never beside a set value.
    var provider: Borrowed<Provider>?

    /// Whether it is the entry for a key.
    @inline(__always)
    func isOf(_ key: UnsafeRawPointer) -> Bool {
        // As numbers: to compare an optional with a pointer takes three times as many instructions.
        UInt(bitPattern: self.key) == UInt(bitPattern: key)
    }

    /// Whether the scope decides on the value.
    var decides: Bool { provider != nil || cell?.isSet == true }
    var isEmpty: Bool { provider == nil && cell == nil }

    /// The cell of a set value.
    var setCell: Cell? { cell.flatMap { $0.isSet ? $0 : nil } }
}
