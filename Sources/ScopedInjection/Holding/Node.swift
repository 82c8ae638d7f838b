import Synchronization

/// The content of one scope, at an address that never changes: its slots, what it decides on, its link outwards.
///
/// It is read under a line that `readers` contains, and changed under all of those. The readers of a node are among
/// those of its parent. So whoever holds the line of a reader sees one moment of the whole chain, and whoever holds
/// the lines of all readers of a node may change it.
struct Node: ~Copyable {
    // The first field is never used without a line: the thread sanitizer takes each in-place change of any field for
    // a change of the whole node, at its first byte.
    /// The slots; the first three lie within the node.
    var slots: UnsafeMutablePointer<Slot> { didSet { assertWriting() } }
    let lines: Lines
    /// The lines under which the node may be read.
    let readers: Atomic<UInt64>
    /// The lines under which a read may begin to walk here: the readers, or none in a scope that a test watches.
    let gate: Atomic<UInt64>
    var capacity: UInt32 = 3 { didSet { assertWriting() } }
    var count: UInt32 = 0 { didSet { assertWriting() } }
    /// The hash bits of the keys of a table, so that most searches for another one end here.
    var hashes: UInt64 = 0 { didSet { assertWriting() } }
    /// The bits of the keys that the scope decides on, with `Mask.pinned`.
    var decides = Mask.pinned { didSet { assertWriting() } }
    /// Counts the changes of what the scope decides on.
    var clock: UInt64 = 0 { didSet { assertWriting() } }
    /// The handle of the parent; owned, except for the one of the global scope.
    let up: Borrowed<Handle>?
    /// What the scope is for.
    let role: ValueKey?
    /// The scope, for as long as it lives; set while nobody else can reach the node.
    var owner: Borrowed<EnvironmentScope>?
    var flags: NodeFlags = [] { didSet { assertWriting() } }
    /// The line in whose list of keepers it lies, one of the readers; -1 outside of it.
    // Here, because it takes no room beside the flags.
    var keeperLine: Int8 = -1 { didSet { assertWriting() } }
    /// The number of removals since all slots were last looked through.
    var removals: UInt32 = 0 { didSet { assertWriting() } }
    /// Whether values are kept here, or were, or a set has to look for another reason.
    var hasKept = false { didSet { assertWriting() } }
    /// The low half of the stamp at which no kept value was out of date.
    var tidied: UInt32 = 0 { didSet { assertWriting() } }
    /// What has cleanups, the last one first; owned.
    var cleanups: Borrowed<Resource>? { didSet { assertWriting() } }
    /// What has its turn now; kept by whoever runs it.
    var turn: Borrowed<Resource>? { didSet { assertWriting() } }
    /// How many bodies run in the scope itself; changed under the line of each.
    let bodies = Atomic(0)
    /// The neighbours in the list of keepers; guarded by its line.
    var nextKeeper: NodePointer?
    var previousKeeper: NodePointer?
    /// The first handle, and one for each further line, made when they are first asked for.
    let handle = Atomic<Borrowed<Handle>?>(nil)
    let handles = Atomic<UnsafeMutablePointer<Atomic<Borrowed<Handle>?>>?>(nil)
    /// The `Extras` of the scope, if it has one.
    let extras = Atomic<Borrowed<Extras>?>(nil)

    /// Called at each change of a field, so that no change without the lines stays unseen.
    @inline(__always)
    private func assertWriting() { assert(isHeldForWriting, "a reader's line is not held") }

    /// Whether the calling thread holds the lines of all readers; for assertions.
    var isHeldForWriting: Bool { readers.load(ordering: .relaxed) & ~ThreadState.held == 0 }
}

typealias NodePointer = UnsafeMutablePointer<Node>

struct NodeFlags: OptionSet {
    let rawValue: UInt16
    /// The cleanups have run; nothing more is kept here that has one.
    static let closed = NodeFlags(rawValue: 1)
    /// The scope has observers.
    static let observed = NodeFlags(rawValue: 2)
    /// The scope is being closed.
    static let closing = NodeFlags(rawValue: 4)
    /// What was built during the closing has its turn, so nothing more is kept here that has a cleanup.
    static let closingLate = NodeFlags(rawValue: 8)
    /// Somebody waits until nobody runs in the scope, to close it.
    static let draining = NodeFlags(rawValue: 512)
    /// Somebody waits for the closing.
    static let awaited = NodeFlags(rawValue: 16)
    /// Something that was let go of may not have ended.
    static let pending = NodeFlags(rawValue: 32)
    /// The scope has each role.
    static let everyRole = NodeFlags(rawValue: 64)
    /// What would begin in the next scope outwards begins here.
    static let beginsForNext = NodeFlags(rawValue: 128)
    /// A part of the next scope outwards, where scopes are named.
    static let part = NodeFlags(rawValue: 256)

    /// Whether nothing more is kept that has a cleanup.
    var refuseCleanups: Bool { !isDisjoint(with: [.closed, .closingLate]) }
}

extension UnsafeMutablePointer where Pointee == Node {
    private static var inlineOffset: Int { (MemoryLayout<Node>.size + 7) & ~7 }

    /// Makes a node without values, which the thread of a line may read; its scope destroys it.
    ///
    /// - Parameter up: The handle of the parent, owned.
    static func make(_ line: Int, _ up: Borrowed<Handle>?, _ role: ValueKey?) -> NodePointer {
        let size = inlineOffset + 3 * MemoryLayout<Slot>.stride
        let memory = Memory.allocate(size, alignment: MemoryLayout<Node>.alignment)
        let slots = (memory + inlineOffset).initializeMemory(as: Slot.self, repeating: Slot(), count: 3)
        let node = memory.bindMemory(to: Node.self, capacity: 1)
        let readers = Lines.bit(line)
        node.initialize(
            to: Node(
                slots: slots,
                lines: .shared,
                readers: Atomic(readers),
                gate: Atomic(readers),
                decides: Mask.pinned | (role?.bit ?? 0),
                up: up,
                role: role
            )
        )
        return node
    }

    func destroy() {
        if pointee.capacity > 3 { pointee.slots.deallocate() }
        deinitialize(count: 1)
        Memory.deallocate(UnsafeMutableRawPointer(self), alignment: MemoryLayout<Node>.alignment)
    }

    // MARK: While reading

    /// Whether a read that starts here may walk; the caller holds the line.
    @inline(__always)
    func isOpen(_ line: Int) -> Bool { pointee.gate.load(ordering: .acquiring) & Lines.bit(line) != 0 }

    /// Whether a test watches the scope, or one further out.
    @inline(__always)
    var isWatched: Bool { pointee.gate.load(ordering: .relaxed) == 0 }

    /// Lets the scope be watched; the caller has called `startWriting`, or nobody else can reach the node.
    func markWatched() { pointee.gate.store(0, ordering: .releasing) }

    /// The slot of a key.
    @inline(__always)
    func slot(_ key: UnsafeRawPointer) -> UnsafeMutablePointer<Slot>? {
        let slots = pointee.slots
        let capacity = pointee.capacity
        if capacity == 3 {
            if slots[0].isOf(key) { return slots }
            if slots[1].isOf(key) { return slots + 1 }
            if slots[2].isOf(key) { return slots + 2 }
            return nil
        }
        let hash = ValueKey.hash(key)
        if pointee.hashes & ValueKey.hashBit(of: hash) == 0 { return nil }
        let mask = Int(truncatingIfNeeded: capacity) &- 1
        var index = hash & mask
        while true {
            if slots[index].isOf(key) { return slots + index }
            if slots[index].key == nil { return nil }
            index = (index &+ 1) & mask
        }
    }

    func forEachSlot(_ body: (UnsafeMutablePointer<Slot>) -> Void) {
        for index in 0..<Int(pointee.capacity) where pointee.slots[index].key != nil { body(pointee.slots + index) }
    }

    /// Whether the scope decides on a value.
    @inline(__always)
    func decides(on key: UnsafeRawPointer) -> Bool { slot(key)?.pointee.decides == true }

    /// Whether the scope has any role.
    var hasRoles: Bool { pointee.role != nil || pointee.flags.contains(.everyRole) }

    /// Whether the scope has a role.
    @inline(__always)
    func has(_ role: ValueKey) -> Bool {
        pointee.role == role || pointee.flags.contains(.everyRole)
    }

    /// Calls a function with the scope; the caller keeps the scope alive, or holds a line and came here by a handle.
    @inline(__always)
    func withScope<Result>(_ body: (EnvironmentScope) -> Result) -> Result {
        pointee.owner.unsafelyUnwrapped.with(body)
    }

    /// Whether the node has a link, even one to a parent that is gone.
    var hasParent: Bool { pointee.up != nil }

    /// The next node outwards; nil if there is none or it is gone.
    @inline(__always)
    var next: NodePointer? { pointee.up?.node }

    /// The node and its ancestors, as far as they are alive.
    var chain: some Sequence<NodePointer> { sequence(first: self) { $0.next } }

    /// Whether the scope or one of its ancestors has an observer.
    var isObservedNow: Bool { stampAndObservers.isObserved }

    /// The node at a level.
    func outwards(_ level: Int32) -> NodePointer? {
        var (at, rest) = (self, level)
        while rest > 0 {
            guard let next = at.next else { return nil }
            (at, rest) = (next, rest - 1)
        }
        return at
    }

    // MARK: The clock

    /// The changes of the node and its ancestors together.
    ///
    /// It only grows: what puts another sum in its place (a parent that goes, another global scope) adds
    /// what that lacks. So an equal stamp means that the whole chain decides as it did.
    @inline(__always)
    var stamp: UInt64 { stampAndObservers.stamp }

    /// The stamp, and whether the scope or one of its ancestors has an observer.
    @inline(__always)
    var stampAndObservers: (stamp: UInt64, isObserved: Bool) {
        var (sum, flags, up) = (pointee.clock, pointee.flags, pointee.up)
        while let handle = up {
            sum &+= handle.added
            guard let node = handle.node else { break }
            sum &+= node.pointee.clock
            flags.formUnion(node.pointee.flags)
            up = node.pointee.up
        }
        return (pointee.lines.givenBits &+ sum, flags.contains(.observed))
    }

    /// The stamp without the count of the bits.
    @inline(__always)
    var sum: UInt64 { stamp &- pointee.lines.givenBits }

    /// What has to be added to a sum that takes the place of an older one, so that the result is larger than that.
    static func difference(from old: UInt64, to new: UInt64) -> UInt64 { old < new ? 0 : old &+ 1 &- new }

    // MARK: While writing

    /// Counts a change, so that the values that were kept here or further in are checked again.
    func countChange() { pointee.clock &+= 1 }

    var isHeldForWriting: Bool { pointee.isHeldForWriting }
}
