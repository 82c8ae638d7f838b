import Synchronization

/// Remembers the class of each key's cells: asking the runtime for it takes longer than making a cell.
struct CellClasses: @unchecked Sendable {
    // Sendable because an entry is written once, before its address is published, and never freed.
    static let shared = CellClasses()

    private struct Entry {
        let key: ObjectIdentifier
        let type: AnyClass
    }

    private static let count = 1024
    private let entries = UnsafeMutablePointer<Atomic<UnsafePointer<Entry>?>>.allocate(capacity: count)

    private init() {
        for index in 0..<Self.count { (entries + index).initialize(to: Atomic(nil)) }
    }

    /// The class of a key's cells; of two keys that fall on one place the first is remembered.
    func cellClass<Value>(for key: ObjectIdentifier, of: Value.Type) -> Cell<Value>.Type {
        let place = entries + ScopeTable.hash(UInt(bitPattern: key)) & (Self.count - 1)
        if let known = place.pointee.load(ordering: .acquiring), known.pointee.key == key {
            return unsafeBitCast(known.pointee.type, to: Cell<Value>.Type.self)
        }
        return remember(Cell<Value>.self, for: key, at: place)
    }

    @inline(never)
    private func remember<Value>(
        _ type: Cell<Value>.Type,
        for key: ObjectIdentifier,
        at place: UnsafeMutablePointer<Atomic<UnsafePointer<Entry>?>>
    ) -> Cell<Value>.Type {
        guard place.pointee.load(ordering: .relaxed) == nil else { return type }
        let entry = UnsafeMutablePointer<Entry>.allocate(capacity: 1)
        entry.initialize(to: Entry(key: key, type: type))
        let (isTaken, _) = place.pointee.compareExchange(
            expected: nil,
            desired: UnsafePointer(entry),
            ordering: .acquiringAndReleasing
        )
        if !isTaken { entry.deallocate() }
        return type
    }
}
