import Synchronization

/// The keys of what a builder read in one run, which tell where its next value will probably be kept.
final class Hint: Sendable {
    private let isPinned: Bool
    private let keys: [ValueKey]
    /// The roles of those that stay.
    private let roles: [ValueKey]
    /// The bits of the keys, when so many bits were given out as `given` says, which changes under every line.
    private let mask = Atomic<UInt64>(0)
    private let given = Atomic(UInt64.max)

    init(_ inputs: borrowing InputSet, isPinned: Bool) {
        self.isPinned = isPinned
        keys = inputs.all.lazy.map { ($0, ValueKey.at($0.key)) }
            .filter { !$0.isOfOther && ($0.past != Input.instance || $1.role != nil) }.map(\.1)
        roles = keys.compactMap(\.role)
    }

    /// What reads of the keys find; the caller holds a line.
    func inputs(from node: NodePointer) -> [Input] {
        keys.map { key in
            if key.role != nil, let cell = Look.find(key.address, from: node).cell, !cell.isSet {
                return Input(key: key.address, version: cell.version, past: Input.instance)
            }
            return Input(key: key.address, version: Look.decide(key.address, from: node).version)
        }
    }

    /// The bits of the keys, or that of every scope for a pinned value; the caller holds a line.
    @inline(__always)
    func mask(given bits: UInt64) -> UInt64 {
        given.load(ordering: .acquiring) == bits ? mask.load(ordering: .relaxed) : makeMask(bits)
    }

    @inline(never)
    private func makeMask(_ bits: UInt64) -> UInt64 {
        let made = isPinned ? Mask.pinned : keys.reduce(0) { $0 | $1.bit | $1.roleBit }
        mask.store(made, ordering: .relaxed)
        given.store(bits, ordering: .releasing)
        return made
    }

    /// Whether a scope that decides on one of the bits decides on one of the keys, or has one of their roles.
    @inline(__always)
    func isDecided(by node: NodePointer, _ mask: UInt64) -> Bool {
        isPinned || !Mask.isShared(mask, node.pointee.lines.givenBits) || isDecidedExactly(by: node)
    }

    @inline(never)
    private func isDecidedExactly(by node: NodePointer) -> Bool {
        keys.contains { node.decides(on: $0.address) } || roles.contains { node.has($0) }
    }

    /// The level at which the value will be kept if its builder reads the same keys; the caller holds a line.
    func level(from node: NodePointer, limit: Int32) -> Int32 {
        let mask = mask(given: node.pointee.lines.givenBits)
        var (at, level) = (node, Int32(0))
        while level < limit {
            if at.pointee.decides & mask != 0, isDecided(by: at, mask) { return level }
            guard let next = at.next else { return level }
            (at, level) = (next, level + 1)
        }
        return limit
    }
}
