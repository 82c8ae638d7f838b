import Synchronization

/// The table of all declared values, by the place of their declaration.
///
/// It is an open-addressing table of places, which is only ever added to, and is read without a lock. A place is
/// compared by the pointer of its file's name. The optimizer may copy that literal into another module: such a copy is
/// found by its content once, and from then on by its own pointer. What has no room in the table is found by its content
/// each time.
@usableFromInline
enum Declarations {
    /// A place as the compiler gives it to one call, and the type of the value.
    struct Place {
        let fileID: StaticString
        let line: UInt
        let column: UInt
        let type: ObjectIdentifier

        // Two words that differ for two places, as long as the entries' lines and columns are compared as well.
        @inline(__always)
        fileprivate var first: UInt { UInt(bitPattern: fileID.utf8Start) ^ (line &<< 48) }
        @inline(__always)
        fileprivate var second: UInt { UInt(bitPattern: type) ^ (column &<< 48) }
    }

    private struct Entry: ~Copyable {
        let first = Atomic<UInt>(0)
        let second = Atomic<UInt>(0)
        /// The address of a key.
        let key = Atomic<UInt>(0)
    }

    private static let capacityBits = 13
    private static let capacity = 1 << capacityBits
    /// The address of the entries, or 0 before the first declaration; a lazy constant would be checked at each look.
    private static let table = Atomic<UInt>(0)

    @inline(__always)
    private static var entries: UnsafeMutablePointer<Entry>? {
        UnsafeMutablePointer(bitPattern: table.load(ordering: .acquiring))
    }

    /// The entries, made by the first call; the caller holds the lock of `known`.
    private static func madeEntries() -> UnsafeMutablePointer<Entry> {
        if let entries { return entries }
        let made = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)
        for index in 0..<capacity { (made + index).initialize(to: Entry()) }
        table.store(UInt(bitPattern: made), ordering: .releasing)
        return made
    }

    private static let known = Guarded(Known())

    private struct Known: Sendable {
        var keys: [Content: ValueKey] = [:]
        /// The threads that make records, and who waits for them.
        var underway: [Content: (thread: UInt, waiting: [Signal])] = [:]
        var entryCount = 0

        enum Step: Sendable { case known(ValueKey), underway(Signal), absent }

        mutating func start(_ content: Content) -> Step {
            if let key = keys[content] { return .known(key) }
            guard let making = underway[content] else {
                underway[content] = (identityOfThread(), [])
                return .absent
            }
            if making.thread == identityOfThread() {
                fatalError("The constant declared at \(content.file):\(content.line) is made of itself.")
            }
            let signal = Signal()
            underway[content]?.waiting.append(signal)
            return .underway(signal)
        }

        mutating func finish(_ content: Content, _ key: ValueKey) -> [Signal] {
            keys[content] = key
            return underway.removeValue(forKey: content)?.waiting ?? []
        }
    }

    private struct Content: Hashable, @unchecked Sendable {
        // Sendable because the identifier was made from a value that is.
        let file: String
        let line: UInt
        let column: UInt
        let type: ObjectIdentifier
        let id: AnyHashable?
    }

    /// The address of the key that was declared at a place, without an identifier; nil if this call has to declare it.
    @usableFromInline
    static func find(
        _ fileID: StaticString,
        _ line: UInt,
        _ column: UInt,
        _ type: ObjectIdentifier
    ) -> UnsafeRawPointer? {
        find(Place(fileID: fileID, line: line, column: column, type: type))
    }

    @inline(__always)
    private static func find(_ place: Place) -> UnsafeRawPointer? {
        guard let entries else { return nil }
        let (first, second) = (place.first, place.second)
        var entry = entries + hash(first, second)
        while true {
            let known = entry.pointee.first.load(ordering: .acquiring)
            if known == 0 { return nil }
            if known == first, entry.pointee.second.load(ordering: .relaxed) == second {
                let address = UnsafeRawPointer(bitPattern: entry.pointee.key.load(ordering: .relaxed)).unsafelyUnwrapped
                if ValueKey.at(address).isDeclared(at: place.line, place.column) { return address }
            }
            entry = after(entry, in: entries)
        }
    }

    @inline(__always)
    private static func after(
        _ entry: UnsafeMutablePointer<Entry>,
        in entries: UnsafeMutablePointer<Entry>
    ) -> UnsafeMutablePointer<Entry> {
        entry + 1 == entries + capacity ? entries : entry + 1
    }

    /// The key of a declaration; the first call makes its record.
    static func declare(_ declaration: Declaration, as type: Any.Type, _ make: () -> KeyRecord) -> ValueKey {
        let content = Content(
            file: declaration.fileID.description,
            line: declaration.line,
            column: declaration.column,
            type: ObjectIdentifier(type),
            id: declaration.id
        )
        while true {
            switch known.withLock({ $0.start(content) }) {
            case .known(let key): return noted(key, declaration, type)
            case .underway(let signal): signal.wait()
            case .absent:
                declaration.check(as: type)
                // Outside of the lock, because it evaluates what the user has written.
                let key = ValueKey(make())
                for signal in known.withLock({ $0.finish(content, key) }) { signal.set() }
            }
        }
    }

    /// Makes a key be found by its place from now on, unless it belongs to a family.
    private static func noted(_ key: ValueKey, _ declaration: Declaration, _ type: Any.Type) -> ValueKey {
        if declaration.id != nil { return key }
        let place = Place(
            fileID: declaration.fileID,
            line: declaration.line,
            column: declaration.column,
            type: ObjectIdentifier(type)
        )
        known.withLock { known in
            // Half of the table stays free, so that a search ends soon.
            guard find(place) == nil, known.entryCount < capacity / 2 else { return }
            known.entryCount += 1
            let entries = madeEntries()
            var entry = entries + hash(place.first, place.second)
            while entry.pointee.first.load(ordering: .relaxed) != 0 { entry = after(entry, in: entries) }
            entry.pointee.second.store(place.second, ordering: .relaxed)
            entry.pointee.key.store(UInt(bitPattern: key.address), ordering: .relaxed)
            entry.pointee.first.store(place.first, ordering: .releasing)
        }
        return key
    }

    @inline(__always)
    private static func hash(_ first: UInt, _ second: UInt) -> Int {
        let mixed = (UInt64(first) ^ (UInt64(second) &<< 1 | UInt64(second) &>> 63)) &* 0x9E37_79B9_7F4A_7C15
        // The highest bits: lines and columns lie high in the factors, so no lower bit of the product depends on them.
        return Int(truncatingIfNeeded: mixed >> UInt64(64 - capacityBits))
    }
}
