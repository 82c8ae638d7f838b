import Synchronization

/// What the walk of a read finds besides the decision; the caller holds a line.
struct Sight {
    /// The level where the last run of the value's own builder lets expect it; the largest number for none.
    private(set) var hinted = Int32.max
    /// The stamp of the asking scope.
    private(set) var stamp: UInt64
    private var flags: NodeFlags = []
    private let hint: Borrowed<Hint>?
    private let mask: UInt64

    var hasHint: Bool { hint != nil }
    /// Whether the asking scope or one of its ancestors has an observer.
    var isObserved: Bool { flags.contains(.observed) }

    init(_ key: ValueKey, from start: NodePointer) {
        stamp = start.pointee.lines.givenBits
        hint = key.hint
        mask = hint?.with { $0.mask(given: start.pointee.lines.givenBits) } ?? 0
    }

    /// Notes a node, and the link from it outwards.
    @inline(__always)
    mutating func pass(_ node: NodePointer, _ level: Int32) {
        if node.pointee.decides & mask != 0, hinted == .max, hint?.with({ $0.isDecided(by: node, mask) }) == true {
            hinted = level
        }
        flags.formUnion(node.pointee.flags)
        stamp &+= node.pointee.clock
        if let up = node.pointee.up { stamp &+= up.added }
    }

    /// Notes a node and all further out.
    @inline(__always)
    mutating func passAll(from node: NodePointer, _ level: Int32) {
        var (at, level): (NodePointer?, Int32) = (node, level)
        while let node = at {
            pass(node, level)
            (at, level) = (node.next, level &+ 1)
        }
    }
}
