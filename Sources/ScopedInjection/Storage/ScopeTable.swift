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

    struct Slot {
        /// The address of the key's metatype; 0 in a free slot.
        var key: UInt = 0
        /// How long `cell` is what a read gives: as long as this is the table's stamp, or the one of set values.
        var stamp: UInt64 = 0
        /// What a read gives: the scope's own cell, or, remembered, an ancestor's.
        var cell: Unmanaged<AnyCell>?
        /// The value set in the scope itself; owned.
        var own: Unmanaged<AnyCell>?
        /// What else the scope has for the key; owned.
        var local: Unmanaged<LocalBinding>?
    }

    let locks: ReaderLocks
    private let readers: Atomic<UInt64>
    private let changes = Atomic<UInt64>(0)
    private let slots = Atomic<UnsafeMutablePointer<Slot>?>(nil)
    private let slotCount = Atomic<UInt32>(0)
    private let used = Atomic<UInt32>(0)

    init(locks: ReaderLocks) {
        self.locks = locks
        readers = Atomic(1 << UInt64(ReaderLocks.lineOfThread()))
    }

    deinit {
        // Whoever empties the table last has let go of what the slots own.
        slots.load(ordering: .relaxed)?.deallocate()
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

    @inline(__always)
    private var capacity: Int { Int(truncatingIfNeeded: slotCount.load(ordering: .relaxed)) }

    @inline(__always)
    func slot(for key: ObjectIdentifier) -> UnsafeMutablePointer<Slot>? {
        guard let slots = slots.load(ordering: .relaxed) else { return nil }
        let key = UInt(bitPattern: key)
        let mask = capacity &- 1
        var index = Self.hash(key) & mask
        while true {
            let slot = slots + index
            let found = slot.pointee.key
            if found == key { return slot }
            if found == 0 { return nil }
            index = (index &+ 1) & mask
        }
    }

    /// The cell that a read of the key gets its value from now, where that is known.
    ///
    /// While reading.
    @inline(__always)
    func currentCell(for key: ObjectIdentifier) -> Unmanaged<AnyCell>? {
        guard let slot = slot(for: key) else { return nil }
        let until = slot.pointee.stamp
        return until == locks.stampOfSetValues || until == stamp ? slot.pointee.cell : nil
    }

    /// The slot of the key, made where there is none.
    ///
    /// While writing.
    func makeSlot(for key: ObjectIdentifier) -> UnsafeMutablePointer<Slot> {
        if let slot = slot(for: key) { return slot }
        if (Int(used.load(ordering: .relaxed)) + 1) * 4 > capacity * 3 { grow() }
        used.store(used.load(ordering: .relaxed) + 1, ordering: .relaxed)
        return place(Slot(key: UInt(bitPattern: key)))
    }

    private func place(_ slot: Slot) -> UnsafeMutablePointer<Slot> {
        guard let slots = slots.load(ordering: .relaxed) else { fatalError("a table that grew has slots") }
        let mask = capacity - 1
        var index = Self.hash(slot.key) & mask
        while slots[index].key != 0 { index = (index + 1) & mask }
        slots[index] = slot
        return slots + index
    }

    private func grow() {
        let old = UnsafeBufferPointer(start: slots.load(ordering: .relaxed), count: capacity)
        // What is remembered and no longer current is not worth a place.
        func isWorthKeeping(_ slot: Slot) -> Bool {
            slot.key != 0 && (slot.local != nil || slot.own != nil || slot.stamp == stamp)
        }
        var kept = 0
        for slot in old where isWorthKeeping(slot) { kept += 1 }
        // A scope of one value stays small; one that is read through will remember several.
        var size = old.isEmpty ? 2 : 8
        while (kept + 1) * 4 > size * 3 { size *= 2 }
        let fresh = UnsafeMutablePointer<Slot>.allocate(capacity: size)
        fresh.initialize(repeating: Slot(), count: size)
        slots.store(fresh, ordering: .relaxed)
        slotCount.store(UInt32(size), ordering: .relaxed)
        used.store(UInt32(kept), ordering: .relaxed)
        for slot in old where isWorthKeeping(slot) { _ = place(slot) }
        old.deallocate()
    }

    /// Puts a set value into the slot of its key, which has none.
    ///
    /// While writing.
    func putOwnCell(_ cell: AnyCell, for key: ObjectIdentifier) {
        let slot = makeSlot(for: key)
        slot.pointee.own = .passRetained(cell)
        slot.pointee.cell = slot.pointee.own
        slot.pointee.stamp = locks.stampOfSetValues
    }

    /// Notes that a read of the key gives what is in a cell, as of the table's stamp.
    ///
    /// While writing.
    func putCurrentCell(_ cell: AnyCell, for key: ObjectIdentifier) {
        let slot = makeSlot(for: key)
        slot.pointee.cell = .passUnretained(cell)
        slot.pointee.stamp = slot.pointee.own?.takeUnretainedValue() === cell ? locks.stampOfSetValues : stamp
    }

    /// While reading or writing.
    func forEachSlot(_ body: (Slot) -> Void) {
        guard let slots = slots.load(ordering: .relaxed) else { return }
        for index in 0..<capacity where slots[index].key != 0 { body(slots[index]) }
    }

    /// While writing; `body` must not add slots.
    func updateSlots(_ body: (inout Slot) -> Void) {
        guard let slots = slots.load(ordering: .relaxed) else { return }
        for index in 0..<capacity where slots[index].key != 0 { body(&slots[index]) }
    }
}

extension ScopeTable.Slot {
    var provider: AnyProvider? { local?.takeUnretainedValue().provider }
    var alias: Alias? { local?.takeUnretainedValue().alias }
    var kept: AnyCell? { local?.takeUnretainedValue().kept }

    /// Whether the scope itself says what the key's value is.
    var decides: Bool { own != nil || provider != nil }

    /// The scope's own binding, made where there is none.
    ///
    /// While writing.
    mutating func makeLocal() -> LocalBinding {
        if let local { return local.takeUnretainedValue() }
        let made = LocalBinding()
        local = .passRetained(made)
        return made
    }

    /// Takes out a set value for the caller to let go of without locks.
    ///
    /// While writing.
    mutating func takeOwnCell() -> AnyCell? {
        guard let own else { return nil }
        self.own = nil
        stamp = 0
        cell = nil
        return own.takeRetainedValue()
    }

    /// Takes out builder, alias and kept value for the caller to let go of without locks.
    ///
    /// While writing.
    mutating func takeLocal() -> LocalBinding? {
        defer { local = nil }
        return local?.takeRetainedValue()
    }
}

extension ScopeTable.Slot {
    /// The key's type: a metatype is its address.
    var keyType: Any.Type { unsafeBitCast(key, to: Any.Type.self) }
}
