import Synchronization

/// An open-addressing table of keys, which threads read without a lock while one of them adds to it.
///
/// A table that is half full is replaced by one of twice the size, so a search ends soon. The old one is not freed, because threads
/// may still read it.
struct DeclarationTable: @unchecked Sendable {
    // Sendable because what changes is atomic, and nothing is freed.

    /// A place as the compiler gives it to one call, the type of the value, and the hash of the identifier: two words, which
    /// differ for two places of one file whose lines and columns are compared as well.
    struct Place {
        fileprivate let first: UInt
        fileprivate let second: UInt

        /// - Parameter hash: The hash of the identifier; 0 for a single value.
        @inline(__always)
        init(_ fileID: StaticString, _ line: UInt, _ column: UInt, _ type: ObjectIdentifier, hash: Int = 0) {
            first = UInt(bitPattern: fileID.utf8Start) ^ (line &<< 48)
            second = UInt(bitPattern: type) ^ (column &<< 48) ^ UInt(bitPattern: hash)
        }

        fileprivate init(_ first: UInt, _ second: UInt) { (self.first, self.second) = (first, second) }

        /// The hash of the place, in the highest bits: lines and columns lie high in the factors, so no lower bit depends on them.
        ///
        /// The last 16 bits of the constant are the golden ratio, too, so that neighbouring lines lie far from each other.
        @inline(__always)
        fileprivate var mixed: UInt64 {
            (UInt64(first) ^ (UInt64(second) &<< 1 | UInt64(second) &>> 63)) &* 0x9E37_79B9_7F4A_9E37
        }
    }

    private struct Header: ~Copyable {
        /// 64 less the logarithm of the capacity.
        let shift: UInt64
        let count = Atomic(0)
        /// The address of the table that it replaced, so that a search for leaks finds that.
        let old: UInt
    }

    private struct Entry: ~Copyable {
        let first = Atomic<UInt>(0)
        let second = Atomic<UInt>(0)
        /// The address of a key.
        let key = Atomic<UInt>(0)
    }

    private let header: UnsafeMutablePointer<Header>

    /// - Parameter address: That of a table, or 0.
    @inline(__always)
    init?(at address: UInt) {
        guard let header = UnsafeMutablePointer<Header>(bitPattern: address) else { return nil }
        self.header = header
    }

    private init(shift: UInt64, old: UInt) {
        let capacity = 1 << Int(64 - shift)
        let size = MemoryLayout<Header>.stride + capacity * MemoryLayout<Entry>.stride
        header = Memory.allocate(size, alignment: MemoryLayout<Header>.alignment).bindMemory(
            to: Header.self,
            capacity: 1
        )
        header.initialize(to: Header(shift: shift, old: old))
        for index in 0..<capacity { (entries + index).initialize(to: Entry()) }
    }

    var address: UInt { UInt(bitPattern: header) }

    @inline(__always)
    private var entries: UnsafeMutablePointer<Entry> {
        UnsafeMutableRawPointer(header + 1).assumingMemoryBound(to: Entry.self)
    }

    /// The address of the first key at a place that meets a condition.
    @inline(__always)
    func find(_ place: Place, where isIt: (ValueKey) -> Bool) -> UnsafeRawPointer? {
        let (entries, shift) = (entries, header.pointee.shift)
        var index = place.mixed &>> shift
        while true {
            let entry = entries + Int(truncatingIfNeeded: index)
            let first = entry.pointee.first.load(ordering: .acquiring)
            if first == 0 { return nil }
            if first == place.first, entry.pointee.second.load(ordering: .relaxed) == place.second {
                let address = UnsafeRawPointer(bitPattern: entry.pointee.key.load(ordering: .relaxed)).unsafelyUnwrapped
                if isIt(.at(address)) { return address }
            }
            index = (index &+ 1) & (.max &>> shift)
        }
    }

    // MARK: Adding, by one thread at a time

    /// Adds a key to a table, or makes one; returns the table that has it.
    static func adding(_ key: ValueKey, at place: Place, to table: DeclarationTable?) -> DeclarationTable {
        let known = table ?? DeclarationTable(shift: 64 - 8, old: 0)
        let result = known.isHalfFull ? known.larger() : known
        result.add(UInt(bitPattern: key.address), at: place)
        return result
    }

    private var isHalfFull: Bool {
        header.pointee.count.load(ordering: .relaxed) >= 1 << Int(63 - header.pointee.shift)
    }

    private func larger() -> DeclarationTable {
        let larger = DeclarationTable(shift: header.pointee.shift - 1, old: address)
        for index in 0..<1 << Int(64 - header.pointee.shift) {
            let entry = entries + index
            let first = entry.pointee.first.load(ordering: .relaxed)
            if first == 0 { continue }
            let place = Place(first, entry.pointee.second.load(ordering: .relaxed))
            larger.add(entry.pointee.key.load(ordering: .relaxed), at: place)
        }
        return larger
    }

    private func add(_ key: UInt, at place: Place) {
        let mask = UInt64.max >> header.pointee.shift
        var index = place.mixed >> header.pointee.shift
        while entries[Int(index)].first.load(ordering: .relaxed) != 0 { index = (index + 1) & mask }
        let entry = entries + Int(index)
        entry.pointee.second.store(place.second, ordering: .relaxed)
        entry.pointee.key.store(key, ordering: .relaxed)
        entry.pointee.first.store(place.first, ordering: .releasing)
        header.pointee.count.wrappingAdd(1, ordering: .relaxed)
    }
}
