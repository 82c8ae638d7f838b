import Synchronization

/// The content of one scope, at an address that never changes: its table, what it decides on, its link outwards.
///
/// It is read under a line that `readers` contains, and changed under all of those lines. A shared node has every
/// line in `readers`, so a walk along handles sees one moment.
struct Node: ~Copyable {
    // The first field is never used without a line: the thread sanitizer takes each in-place change of any field for
    // a change of the whole node, at its first byte.
    /// The slots; the first three lie within the node.
    var slots: UnsafeMutablePointer<Slot>
    let lines: Lines
    /// The lines under which the node may be read.
    let readers: Atomic<UInt64>
    /// The lines under which a read that starts here needs only the walk; none if a test watches the scope or one that it was
    /// made below, or a builder made it.
    let gate: Atomic<UInt64>
    var capacity: UInt32 = 3
    var count: UInt32 = 0
    /// The bits of the keys that the scope decides on, with `Mask.pinned`, and `Mask.policy` if it has a policy or
    /// a test watches it.
    var decides = Mask.pinned
    /// The clock of a private node.
    var changes: UInt64 = 0
    /// The handle of the parent; owned, except for the one of the global scope.
    var up: Unmanaged<Handle>?
    /// The scope, for as long as it lives.
    var owner: Unmanaged<EnvironmentScope>?
    var flags: Flags = []
    /// Whether a builder made the scope; constant once another thread can reach the scope.
    var isBuilderMade = false
    /// The number of anchors that own the scope; the lent anchor is not counted.
    let anchors = Atomic<Int32>(0)
    /// The number of removals since all slots were last looked through.
    var removals: UInt32 = 0
    /// See `Lending`.
    let lent = Atomic<UInt>(0)
    /// One handle for each line, made when it is first asked for; nil for a private node.
    let handles = Atomic<UnsafeMutablePointer<Atomic<Unmanaged<Handle>?>>?>(nil)
    /// The `Rare` of the scope, if it has one.
    let rare = Atomic<Unmanaged<AnyObject>?>(nil)
    /// The announced builds, as a linked list, guarded by `announcing`; each is withdrawn before it goes.
    var builds: Unmanaged<AnyObject>?
    let announcing = SpinLock()
    /// How many announced builds have ended, and how many values were kept whose builds were announced elsewhere.
    let endedBuilds = Atomic<UInt32>(0)
    /// Whether the scope may hold a new parent, because it was in force when it got that.
    let holdsParent = Atomic(false)

    struct Flags: OptionSet {
        let rawValue: UInt32
        static let closed = Flags(rawValue: 1)
        static let forbidsDefaults = Flags(rawValue: 2)
        static let allowsDefaults = Flags(rawValue: 4)
        /// The scope has an observer.
        static let observed = Flags(rawValue: 8)
        /// The scope has an alias.
        static let aliases = Flags(rawValue: 16)
        /// A builder asked what the scope holds, so a value that it comes to keep is a change.
        static let asked = Flags(rawValue: 32)
        /// A test watches the scope itself, and may allow defaults that are forbidden.
        static let watched = Flags(rawValue: 64)
        /// The scope keeps a value that was inherited past it, or past one further out.
        static let inherits = Flags(rawValue: 128)
        static let policy: Flags = [.forbidsDefaults, .allowsDefaults]
    }
}

typealias NodePointer = UnsafeMutablePointer<Node>

/// The entry of a node for one key.
struct Slot {
    /// The address of the key; nil in a free slot.
    var key: UnsafeRawPointer?
    /// The value: set, or built and kept.
    var cell: Cell?
    /// The provider; owned, and never beside a set value.
    var provider: Unmanaged<Provider>?

    /// Whether the scope decides on the value.
    var decides: Bool { provider != nil || cell?.isSet == true }  // fault: decides
    var isEmpty: Bool { provider == nil && cell == nil }

    @inline(__always)
    static func hash(_ key: UnsafeRawPointer) -> Int {
        Int(truncatingIfNeeded: (UInt64(UInt(bitPattern: key)) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }
}

extension UnsafeMutablePointer where Pointee == Node {
    private static var inlineOffset: Int { (MemoryLayout<Node>.size + 7) & ~7 }

    /// Makes a node without values; its scope destroys it.
    static func make(readers: UInt64, isWatched: Bool) -> NodePointer {
        let size = inlineOffset + 3 * MemoryLayout<Slot>.stride
        let memory = Memory.allocate(size, alignment: MemoryLayout<Node>.alignment)
        let slots = (memory + inlineOffset).initializeMemory(as: Slot.self, repeating: Slot(), count: 3)
        let node = memory.bindMemory(to: Node.self, capacity: 1)
        node.initialize(
            to: Node(slots: slots, lines: .shared, readers: Atomic(readers), gate: Atomic(isWatched ? 0 : readers))
        )
        return node
    }

    func destroy() {
        if pointee.capacity > 3 { SlotTable.free(pointee.slots, Int(pointee.capacity), pointee.lines) }
        deinitialize(count: 1)
        Memory.deallocate(UnsafeMutableRawPointer(self), alignment: MemoryLayout<Node>.alignment)
    }

    // MARK: While reading

    /// The sum of both clocks of the node.
    ///
    /// Both only grow, so an equal stamp means that neither has changed.
    @inline(__always)
    var stamp: UInt64 { pointee.lines.epoch &+ pointee.changes }

    /// Whether other threads and scopes may reach the scope.
    var isShared: Bool { pointee.handles.load(ordering: .relaxed) != nil }

    @inline(__always)
    func slot(_ key: UnsafeRawPointer) -> UnsafeMutablePointer<Slot>? {
        let slots = pointee.slots
        let capacity = pointee.capacity
        if capacity == 3 {
            if slots[0].key == key { return slots }
            if slots[1].key == key { return slots + 1 }
            if slots[2].key == key { return slots + 2 }
            return nil
        }
        let mask = Int(truncatingIfNeeded: capacity) &- 1
        var index = Slot.hash(key) & mask
        while true {
            let found = slots[index].key
            if found == key { return slots + index }
            if found == nil { return nil }
            index = (index &+ 1) & mask
        }
    }

    func forEachSlot(_ body: (UnsafeMutablePointer<Slot>) -> Void) {
        for index in 0..<Int(pointee.capacity) where pointee.slots[index].key != nil { body(pointee.slots + index) }
    }

    /// Calls a function with the scope; the caller keeps the scope alive, or holds a line and came here by a handle.
    @inline(__always)
    func withScope<Result>(_ body: (EnvironmentScope) -> Result) -> Result {
        pointee.owner.unsafelyUnwrapped._withUnsafeGuaranteedRef(body)
    }

    /// Whether the node has a link, even one to a parent that is gone.
    var hasParent: Bool { pointee.up != nil }

    /// The next node outwards; nil if there is none or it is gone.
    @inline(__always)
    var next: NodePointer? { pointee.up?._withUnsafeGuaranteedRef { $0.reached } }

    // MARK: While writing

    /// The slot of a key; made if there is none.
    func makeSlot(_ key: UnsafeRawPointer) -> UnsafeMutablePointer<Slot> {
        assert(pointee.readers.load(ordering: .relaxed) & ~ThreadState.held == 0, "a reader's line is not held")
        if let slot = slot(key) { return slot }
        let capacity = Int(pointee.capacity)
        if capacity == 3 ? pointee.count == 3 : (Int(pointee.count) + 1) * 4 > capacity * 3 { layOut() }
        pointee.count += 1
        let slot = freePlace(for: key)
        slot.pointee.key = key
        return slot
    }

    private func freePlace(for key: UnsafeRawPointer) -> UnsafeMutablePointer<Slot> {
        let slots = pointee.slots
        if pointee.capacity == 3 { return slots + Int(pointee.count) - 1 }
        let mask = Int(pointee.capacity) - 1
        var index = Slot.hash(key) & mask
        while slots[index].key != nil { index = (index + 1) & mask }
        return slots + index
    }

    /// Moves the slots that are not empty to a table of the right size.
    func layOut() {
        let (old, oldCapacity) = (pointee.slots, Int(pointee.capacity))
        var used = 0
        forEachSlot { if !$0.pointee.isEmpty { used += 1 } }
        var size = 8
        // With room for some more, or else a scope that sets and removes ever other values would do this each time.
        while (used + used / 4 + 1) * 4 > size * 3 { size *= 2 }  // fault: room
        pointee.slots = SlotTable.make(size, pointee.lines)
        pointee.capacity = UInt32(size)
        pointee.count = UInt32(used)
        for index in 0..<oldCapacity {
            let slot = old[index]
            if let key = slot.key, !slot.isEmpty { freePlace(for: key).pointee = slot }
        }
        if oldCapacity > 3 { SlotTable.free(old, oldCapacity, pointee.lines) }
    }

    /// Advances the node's clock, so that kept values are checked again.
    func noteChange() {
        if isShared {
            pointee.lines.advanceEpoch()  // fault: shared-change
        } else {
            pointee.changes &+= 1  // fault: private-change
        }
    }

    /// Computes `decides` and the flag `aliases` from the slots; returns how many of them are not empty.
    @discardableResult
    func countDecisions() -> Int {
        var used = 0
        var decides = Mask.pinned
        var hasAliases = false
        if !pointee.flags.isDisjoint(with: [.policy, .watched]) { decides |= Mask.policy }  // fault: watched-mask
        forEachSlot { slot in
            if !slot.pointee.isEmpty { used += 1 }
            guard slot.pointee.decides, let key = slot.pointee.key else { return }
            decides |= ValueKey.at(key).bit
            if slot.pointee.provider?._withUnsafeGuaranteedRef({ $0.target }) != nil { hasAliases = true }
        }
        pointee.decides = decides
        if hasAliases { pointee.flags.insert(.aliases) } else { pointee.flags.remove(.aliases) }
        return used
    }

    // MARK: Taking lines

    /// Takes a line under which the node may be read.
    @inline(__always)
    func startReading() -> Int {
        let line = Lines.ofThread()
        pointee.lines.lock(line)
        // Acquiring: a writer may have changed the node before this line was in `readers`.
        if pointee.readers.load(ordering: .acquiring) & Lines.bit(line) == 0 {
            startReadingFirst(line)  // fault: reader-counted
        }
        assert(pointee.readers.load(ordering: .acquiring) & Lines.bit(line) != 0, "a reader's line is not counted")
        return line
    }

    /// Adds a line to `readers`, and takes it.
    @inline(never)
    private func startReadingFirst(_ line: Int) {
        pointee.lines.unlock(line)
        let lines = startWriting()
        addReaders(Lines.bit(line))
        finishWriting(lines)
        pointee.lines.lock(line)
    }

    /// Adds lines to `readers`; the caller has called `startWriting`.
    func addReaders(_ lines: UInt64) {
        let readers = pointee.readers.load(ordering: .relaxed) | lines
        pointee.readers.store(readers, ordering: .releasing)
        if pointee.gate.load(ordering: .relaxed) != 0 { pointee.gate.store(readers, ordering: .releasing) }
    }

    /// Unlocks the line, after `finishRetaining`.
    @inline(__always)
    func finishReading(_ line: Int) {
        finishRetaining()
        pointee.lines.unlock(line)
    }

    /// Calls a function while a line is held under which the node may be read.
    @inline(__always)
    func whileReading<Result>(_ body: () -> Result) -> Result {
        let line = startReading()
        defer { finishReading(line) }
        return body()
    }

    /// Takes all lines whose readers may read the node.
    @inline(__always)
    func startWriting() -> Lines.Bits {
        while true {
            let lines = Lines.Bits(bits: pointee.readers.load(ordering: .acquiring))
            assert(Pause.at(Pause.beforeWriting))
            pointee.lines.lock(lines)
            if pointee.readers.load(ordering: .acquiring) == lines.bits { return lines }  // fault: all-readers
            pointee.lines.unlock(lines)
        }
    }

    @inline(__always)
    func finishWriting(_ lines: Lines.Bits) {
        finishRetaining()
        pointee.lines.unlock(lines)
    }
}
