import Synchronization

/// What one scope holds for each key, in a form that is read without waiting.
///
/// An open-addressing table keyed by the key's metatype. A slot names the cell a read gets its value from: one of
/// the scope's own, or, remembered, one of an ancestor's; so depth costs the first read only.
///
/// Who reads holds one line of the reader locks that the table counts among its readers. Who changes the table
/// holds the scope's mutex and all those lines; `ScopeTable` itself locks nothing but through `lockForReading`
/// and `lockForWriting`.
struct ScopeTable: ~Copyable, @unchecked Sendable {
    // Sendable because of the rule above: slots are read under a line and changed under all lines that may read.

    let locks: ReaderLocks
    private let readers: Atomic<UInt64>
    private let changes = Atomic<UInt64>(0)
    /// Apart from the others, so that a scope of one value allocates none.
    private let first = Slot()
    private let others = Atomic<UnsafeMutablePointer<Slot>?>(nil)
    private let capacity = Atomic<UInt32>(0)
    private let used = Atomic<UInt32>(0)

    init(locks: ReaderLocks) {
        self.locks = locks
        readers = Atomic(1 << UInt64(ReaderLocks.lineOfThread()))
    }

    deinit {
        // Whoever empties the table last has let go of what the slots own.
        others.load(ordering: .relaxed)?.deallocate()
    }

    // MARK: Locking

    /// Takes a line; false where the table does not yet count it among its readers.
    @inline(__always)
    func lockForReading(_ line: Int) -> Bool {
        locks.lockLine(line)
        // Acquiring, because a writer that knew nothing of this line published through whoever added it.
        if isRead(under: line) { return true }
        locks.unlockLine(line)
        return false
    }

    /// Whether a writer of this table would wait for who holds the line.
    @inline(__always)
    func isRead(under line: Int) -> Bool { readers.load(ordering: .acquiring) & (1 << UInt64(line)) != 0 }

    @inline(__always)
    func unlockForReading(_ line: Int) { locks.unlockLine(line) }

    /// Counts a line among the readers.
    ///
    /// Under the mutex.
    func addReader(_ line: Int) { addReaders(1 << UInt64(line)) }

    /// Counts every line among the readers, because other scopes read through this one.
    ///
    /// Under the mutex.
    func addEveryReader() { addReaders(ReaderLocks.everyLine) }

    private func addReaders(_ lines: UInt64) {
        readers.store(readers.load(ordering: .relaxed) | lines, ordering: .releasing)
    }

    /// Takes all lines that may be reading.
    ///
    /// Under the mutex.
    func lockForWriting() -> UInt64 {
        let lines = readers.load(ordering: .relaxed)
        locks.lockLines(lines)
        return lines
    }

    /// Gives the lines back.
    ///
    /// With no follower left, only the calling thread goes on counting as a reader.
    func unlockAfterWriting(_ lines: UInt64, isFollowed: Bool) {
        if !isFollowed, lines == ReaderLocks.everyLine {
            readers.store(1 << UInt64(ReaderLocks.lineOfThread()), ordering: .releasing)
        }
        locks.unlockLines(lines)
    }

    // MARK: Stamps

    /// What was true of the scope's reads at this stamp is true as long as the stamp is.
    ///
    /// Both parts only ever grow, so an equal sum means that neither has.
    @inline(__always)
    var stamp: UInt64 { locks.epoch &+ changes.load(ordering: .acquiring) }

    /// Ends all stamps of this table, and those of every other where others read through this one.
    ///
    /// While writing.
    func invalidate(isFollowed: Bool) {
        if isFollowed {
            locks.advanceEpoch()
        } else {
            changes.store(changes.load(ordering: .relaxed) &+ 1, ordering: .releasing)
        }
    }

    // MARK: Slots

    @inline(__always)
    static func hash(_ key: UInt) -> Int {
        Int(truncatingIfNeeded: (UInt64(key) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    /// What the table holds for the key, if it has a slot.
    ///
    /// While reading or writing.
    @inline(__always)
    func withSlot<Result>(for key: ObjectIdentifier, _ body: (borrowing Slot) -> Result?) -> Result? {
        let key = UInt(bitPattern: key)
        if first.key == key { return body(first) }
        guard let others = others.load(ordering: .relaxed) else { return nil }
        let mask = otherCount &- 1
        var index = Self.hash(key) & mask
        while true {
            let found = others[index].key
            if found == key { return body(others[index]) }
            if found == 0 { return nil }
            index = (index &+ 1) & mask
        }
    }

    /// While reading or writing.
    func forEachSlot(_ body: (borrowing Slot) -> Void) {
        if first.key != 0 { body(first) }
        guard let others = others.load(ordering: .relaxed) else { return }
        for index in 0..<otherCount where others[index].key != 0 { body(others[index]) }
    }

    @inline(__always)
    private var otherCount: Int { Int(truncatingIfNeeded: capacity.load(ordering: .relaxed)) }

    /// The cell that a read of the key gets its value from now, where that is known.
    ///
    /// While reading.
    @inline(__always)
    func currentCell(for key: ObjectIdentifier) -> Unmanaged<AnyCell>? {
        withSlot(for: key) { slot in
            let until = slot.stamp
            return until == locks.stampOfSetValues || until == stamp ? slot.cell : nil
        }
    }

    /// Changes what the table holds for the key.
    ///
    /// While writing.
    func update<Result>(_ key: ObjectIdentifier, _ body: (borrowing Slot) -> Result) -> Result {
        if let result = withSlot(for: key, body) { return result }
        if first.key == 0 {
            first.key = UInt(bitPattern: key)
            return body(first)
        }
        if (Int(used.load(ordering: .relaxed)) + 1) * 4 > otherCount * 3 { grow() }
        used.store(used.load(ordering: .relaxed) + 1, ordering: .relaxed)
        guard let others = others.load(ordering: .relaxed) else { fatalError("a table that grew has slots") }
        let index = place(for: UInt(bitPattern: key), in: others)
        others[index].key = UInt(bitPattern: key)
        return body(others[index])
    }

    /// The free place of a key that has none.
    private func place(for key: UInt, in others: UnsafeMutablePointer<Slot>) -> Int {
        let mask = otherCount - 1
        var index = Self.hash(key) & mask
        while others[index].key != 0 { index = (index + 1) & mask }
        return index
    }

    private func grow() {
        let (old, oldCount) = (others.load(ordering: .relaxed), otherCount)
        // What is remembered and no longer current is not worth a place.
        func forEachWorthKeeping(_ body: (borrowing Slot) -> Void) {
            guard let old else { return }
            for index in 0..<oldCount {
                let isHeld = old[index].local != nil || old[index].own != nil
                if old[index].key != 0, isHeld || old[index].stamp == stamp { body(old[index]) }
            }
        }
        var kept = 0
        forEachWorthKeeping { _ in kept += 1 }
        // Who has two values will have several, or read several.
        var size = 8
        while (kept + 1) * 4 > size * 3 { size *= 2 }
        let fresh = UnsafeMutablePointer<Slot>.allocate(capacity: size)
        for index in 0..<size { (fresh + index).initialize(to: Slot()) }
        others.store(fresh, ordering: .relaxed)
        capacity.store(UInt32(size), ordering: .relaxed)
        used.store(UInt32(kept), ordering: .relaxed)
        forEachWorthKeeping { slot in fresh[place(for: slot.key, in: fresh)].take(from: slot) }
        old?.deallocate()
    }

    /// Puts a set value into the slot of its key, which has none, as of the stamp of set values when it was named.
    ///
    /// While writing.
    func putOwnCell(_ cell: consuming AnyCell, for key: ObjectIdentifier, stamp: UInt64) {
        let cell = Unmanaged.passRetained(consume cell)
        update(key) { slot in
            slot.own = cell
            slot.cell = cell
            slot.stamp = stamp
        }
    }

    /// Notes that a read of the key gives what is in a cell, if that is still so that was found out at `stamp`.
    ///
    /// While writing.
    func putCurrentCell(_ cell: AnyCell, for key: ObjectIdentifier, foundAt stamp: UInt64) -> Bool {
        // Asked for first: if names have changed since, the other stamp tells.
        let stampOfSetValues = locks.stampOfSetValues
        guard self.stamp == stamp else { return false }
        update(key) { slot in
            slot.cell = .passUnretained(cell)
            slot.stamp = slot.own?.takeUnretainedValue() === cell ? stampOfSetValues : stamp
        }
        return true
    }
}
