import Synchronization

/// The inputs of a value that a scope made by a builder keeps, and of all values there that it was built from.
///
/// A build that reads the value records them, because that scope may be one of its own, or be gone before the next
/// look.
struct HiddenInputs {
    /// Their levels are counted from the reading node; each place is owned.
    fileprivate private(set) var inputs: [Input] = []
    fileprivate let mask: UInt64
    fileprivate let isPinned: Bool

    /// Gathers them; nil if the value lies elsewhere.
    ///
    /// The caller holds a line.
    @inline(__always)
    init?(of cell: Cell, by trail: borrowing Trail, at level: Int32, from node: NodePointer) {
        guard node.pointee.isBuilderMade, let kept = cell.kept, node.outwards(level)?.pointee.isBuilderMade == true
        else { return nil }
        self.init(of: cell, kept, trail.key, past: trail.past, at: level, from: node)
    }

    @inline(never)
    private init(
        of cell: Cell,
        _ kept: UnsafeMutablePointer<Kept>,
        _ key: ValueKey,
        past: UInt64,
        at level: Int32,
        from node: NodePointer
    ) {
        mask = kept.pointee.mask.load(ordering: .relaxed) | key.base.bit
        isPinned = kept.pointee.isPinned
        var known: Set<Input> = []
        var seen: Set<UInt64> = [cell.version]
        var pending = [(kept: kept, key: key, past: past, level: level, asker: (node: node, level: Int32(0)))]
        while let (kept, key, past, level, asker) = pending.popLast() {
            guard let keeper = node.outwards(level), keeper.pointee.isBuilderMade else { continue }
            let decision = Input(deciding: key, kept.pointee.decision, past: past)
            if known.insert(decision).inserted {  // fault: hidden-decision
                // What the read has skipped may lie further in than the keeper.
                inputs.append(decision.seen(by: asker.node, at: asker.level))  // fault: hidden-asker
            }
            for input in kept.inputs {
                guard known.insert(input).inserted else { continue }
                inputs.append(input.seen(by: keeper, at: level))
                guard input.fact == .value, input.place == nil, seen.insert(input.version).inserted else { continue }
                var look = Look()
                let question = Question(node: keeper, key: input.key, past: input.past)
                guard case .cell(let cell, let further) = look.answer(question), let kept = cell.kept else { continue }
                pending.append((kept, .at(input.key), input.past, level + further, (keeper, level)))
            }
        }
    }
}

extension Input {
    /// Which builder made a kept value: the build that is to record it did not run that itself.
    fileprivate init(deciding key: ValueKey, _ version: UInt64, past: UInt64) {
        self.init(fact: .decision, level: Input.nowhere, key: key.address, version: version)
        self.past = past
    }

    /// One of the inputs of a value that is kept at the level, as the reading scope sees it; it owns its place.
    ///
    /// Its level is looked up, because it was counted from the scope that asked for the value then.
    fileprivate func seen(by keeper: NodePointer, at level: Int32) -> Input {
        var input = self
        if let place {
            input.place = place.retain()
            return input
        }
        let further = Look.nearest(of: self, from: keeper)?.level
        input.level = further.map { $0 == Input.nowhere ? $0 : $0 + level } ?? Input.nowhere  // fault: hidden-level
        return input
    }
}

extension Reading {
    /// Records them in the builds that have to record the read.
    @inline(never)
    func record(_ hidden: HiddenInputs) {
        record(hidden.inputs, hidden.mask, isPinned: hidden.isPinned)
        for input in hidden.inputs { input.place?.release() }
    }
}
