import Synchronization

/// Finds the key of each `ScopeKey` type without a lock, in a table that only grows.
enum KeyTypes {
    // Safe because a table is written under the mutex before its address is published, and is never freed.
    nonisolated(unsafe) private static let current = Atomic<UnsafeMutablePointer<Table>?>(nil)
    private static let growing = Guarded(0)

    private struct Table {
        let mask: Int
        let entries: UnsafeMutablePointer<Entry>
    }

    private struct Entry: ~Copyable {
        let type = Atomic<UInt>(0)
        let key = Atomic<UInt>(0)
    }

    /// The key of a type; the first call makes it.
    @inline(__always)
    static func key<Key: ScopeKey>(_ type: Key.Type) -> TypedKey<Key.Value> {
        let identity = UInt(bitPattern: ObjectIdentifier(Key.self))
        if let known = find(identity) { return ValueKey.at(known).typed(as: Key.Value.self) }
        return make(Key.self, identity)
    }

    @inline(__always)
    private static func find(_ identity: UInt) -> UnsafeRawPointer? {
        guard let table = current.load(ordering: .acquiring) else { return nil }
        var index = hash(identity) & table.pointee.mask
        while true {
            let type = table.pointee.entries[index].type.load(ordering: .acquiring)
            if type == identity {
                return UnsafeRawPointer(bitPattern: table.pointee.entries[index].key.load(ordering: .relaxed))
            }
            if type == 0 { return nil }
            index = (index &+ 1) & table.pointee.mask
        }
    }

    @inline(__always)
    private static func hash(_ identity: UInt) -> Int {
        Int(truncatingIfNeeded: (UInt64(identity) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    @inline(never)
    private static func make<Key: ScopeKey>(_: Key.Type, _ identity: UInt) -> TypedKey<Key.Value> {
        // Read before the mutex is taken, because they are user code.
        let (lifetime, isSafe) = (Key.lifetime, Key.isSafeInTests)
        let address = growing.withLock { count -> UnsafeRawPointer in
            if let known = find(identity) { return known }
            let made = TypedKey(
                TypedKeyRecord(lifetime, isSafeInTests: isSafe, .built, .type(Key.self)) { try Key.makeValue(in: $0) }
            )
            count += 1
            insert(identity, made.address, count: count)
            return made.address
        }
        return ValueKey.at(address).typed(as: Key.Value.self)
    }

    private static func insert(_ identity: UInt, _ key: UnsafeRawPointer, count: Int) {
        var table = current.load(ordering: .relaxed)
        if count * 2 > (table?.pointee.mask ?? 0) { table = grow(table) }
        if let table { put(identity, key, in: table) }
        current.store(table, ordering: .releasing)
    }

    private static func put(_ identity: UInt, _ key: UnsafeRawPointer, in table: UnsafeMutablePointer<Table>) {
        var index = hash(identity) & table.pointee.mask
        while table.pointee.entries[index].type.load(ordering: .relaxed) != 0 {
            index = (index + 1) & table.pointee.mask
        }
        table.pointee.entries[index].key.store(UInt(bitPattern: key), ordering: .relaxed)
        table.pointee.entries[index].type.store(identity, ordering: .releasing)
    }

    /// Makes a table of four times the size; the old one may still be read.
    private static func grow(_ old: UnsafeMutablePointer<Table>?) -> UnsafeMutablePointer<Table> {
        let size = ((old?.pointee.mask ?? 63) + 1) * 4
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: size)
        for index in 0..<size { (entries + index).initialize(to: Entry()) }
        let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        table.initialize(to: Table(mask: size - 1, entries: entries))
        if let old {
            for index in 0...old.pointee.mask {
                let type = old.pointee.entries[index].type.load(ordering: .relaxed)
                guard type != 0 else { continue }
                let key = old.pointee.entries[index].key.load(ordering: .relaxed)
                if let key = UnsafeRawPointer(bitPattern: key) { put(type, key, in: table) }
            }
        }
        return table
    }
}

extension ValueKey {
    /// The key of a key type.
    package static func key<Key: ScopeKey>(of type: Key.Type) -> ValueKey { KeyTypes.key(type).key }
}
