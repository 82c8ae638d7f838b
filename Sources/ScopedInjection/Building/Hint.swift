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
            .filter { $0.past != Input.instance || $1.role != nil }.map(\.1)
        roles = keys.compactMap(\.role)
    }

    /// What reads of the keys find; the caller holds a line.
    func inputs(from node: NodePointer) -> [Input] {
        keys.map { key in
            if key.role != nil, case .cell(let cell, _, _) = Look.find(key.address, from: node), !cell.isSet {
                return Input(key: key.address, version: cell.version, past: Input.instance)
            }
            return Input(key: key.address, version: Look.decide(key.address, from: node).version)
        }
    }

    /// The level at which the value will be kept if its builder reads the same keys; the caller holds a line.
    func level(from node: NodePointer, limit: Int32) -> Int32 {
        if isPinned { return 0 }
        let bits = node.pointee.lines.givenBits
        if given.load(ordering: .acquiring) != bits {
            mask.store(keys.reduce(0) { $0 | $1.bit | $1.roleBit }, ordering: .relaxed)
            given.store(bits, ordering: .releasing)
        }
        let mask = mask.load(ordering: .relaxed)
        let isShared = Mask.isShared(mask, bits)
        var (at, level) = (node, Int32(0))
        while level < limit {
            if at.pointee.decides & mask != 0,
                !isShared || keys.contains(where: { at.decides(on: $0.address) })
                    || roles.contains(where: { at.has($0) })
            {
                return level
            }
            guard let next = at.next else { return level }
            (at, level) = (next, level + 1)
        }
        return limit
    }
}
