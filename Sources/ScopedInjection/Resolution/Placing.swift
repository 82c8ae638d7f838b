import Synchronization

/// Finds the keeper of a built value and keeps the value there, at one moment.
struct Placing: ~Copyable {
    var action = BuildState.Action.goOn
    /// The level of the keeper; until the value is placed, the probable one.
    private(set) var level: Int32
    private(set) var mask: UInt64 = 0
    private(set) var isPinned = false
    var isKept: Bool { version != 0 }
    /// The keeper, if it has a `Rare`, and so perhaps bound references.
    private(set) var rareKeeper: RareKeeper?
    private(set) var version: UInt64 = 0
    /// What refuses the value, if the keeper is closed.
    private(set) var refusal: Refusal?
    /// The new hint, if the builder did not read what it read the last time.
    private(set) var newHint: Hint?
    /// What lay in the place of the value, to be let go of.
    var garbage = Garbage()

    /// A keeper, for a thread that holds no line any more.
    struct RareKeeper {
        /// Leads to it; nil for the asking scope.
        let handle: Handle?
    }

    /// A closed scope that would have to keep the value.
    struct Refusal {
        /// Its node, which may be gone.
        let scope: NodePointer
        /// How often scopes had moved.
        let moves: UInt64
    }

    init(_ plan: borrowing Plan) {
        level = plan.place
    }

    mutating func run(
        _ plan: borrowing Plan,
        _ reading: borrowing Reading,
        _ build: Build,
        _ makeCell: (_ version: UInt64, _ kept: UnsafeMutablePointer<Kept>?) -> Cell
    ) {
        let node = reading.node
        var lines = level == 0 ? node.startWriting() : everyLine(node)
        while true {
            let isPlaced = build.withShared { shared -> Bool in
                let current = reading.isCurrent(&shared, plan)
                if let current {
                    isPinned = shared.inputs.isPinned || plan.key.lifetime == .scoped  // fault: scoped-pinned
                    mask = current.mask | (isPinned ? Mask.pinned : 0)  // fault: pinned-mask
                    let outermost = min(current.nearest, current.decision.level)  // fault: keeper
                    level = isPinned || plan.key.lifetime == .transient ? 0 : outermost
                    if level > 0, lines.bits != Lines.every { return false }  // fault: placing-lines
                }
                action = shared.handle(.returned(isCurrent: current != nil))
                if action == .keep, let current { keep(plan, current, reading, &shared, lines, makeCell) }
                return true
            }
            if isPlaced { break }
            node.finishWriting(lines)
            lines = everyLine(node)
        }
        Announcing.withdraw(build, whileWriting: node)
        node.finishWriting(lines)
    }

    private func everyLine(_ node: NodePointer) -> Lines.Bits {
        node.pointee.lines.lock(.every)
        return .every
    }

    private mutating func keep(
        _ plan: borrowing Plan,
        _ current: Reading.Current,
        _ reading: borrowing Reading,
        _ shared: inout Build.Shared,
        _ lines: Lines.Bits,
        _ makeCell: (_ version: UInt64, _ kept: UnsafeMutablePointer<Kept>?) -> Cell
    ) {
        let isKnown = plan.hint?._withUnsafeGuaranteedRef { $0.isOf(shared.inputs.all, mask: mask, isPinned: isPinned) }
        if isKnown != true { newHint = Hint(shared.inputs.all, mask: mask, isPinned: isPinned) }
        guard plan.key.lifetime != .transient else { return }  // fault: transient
        guard let keeper = reading.node.outwards(level) else { return }
        if keeper.pointee.flags.contains(.closed) {  // fault: closed-keeps-nothing
            // From now on its moves are counted: a value that is being built for it may do without this one.
            Links.share(reading.node)  // fault: refused-shared
            refusal = Refusal(scope: keeper, moves: keeper.pointee.lines.moves)
            action = .give
            return
        }
        let question = Question(node: reading.node, key: plan.key.address, past: plan.past)
        let place = question.place(at: level)
        if place != plan.key.base { keeper.pointee.flags.insert(.inherits) }
        let slot = keeper.makeSlot(place.address)
        if let old = slot.pointee.cell {
            assert(!old.isSet, "a set value decides, so nothing is built in its place")
            var look = Look()
            if case .cell = look.answer(question) { return }  // fault: first-keeper
            garbage.add(old)  // fault: stale-let-go
        }
        if keeper.pointee.flags.contains(.asked) { keeper.noteChange() }  // fault: asked-kept
        version = keeper.pointee.lines.nextVersion(lines.bits.trailingZeroBitCount)
        let kept = Kept.make(
            shared.inputs.all,
            checked: current.isLasting ? keeper.stamp : Kept.neverChecked,  // fault: not-lasting
            mask: mask,
            decision: plan.decision.version,
            isPinned: isPinned
        )
        let handle = level > 0 ? keeper.anyHandle?.takeUnretainedValue() : nil
        if let handle { shared.settle(in: handle) }
        shared.isPlaced = true  // fault: placed
        // Still needed: a reader that cannot record the value itself records its inputs.
        if reading.needsInputs(ofKept: level) { shared.inputs.retainPlaces() } else { shared.inputs.handOver() }
        slot.pointee.cell = makeCell(version, kept)
        // If the build is announced elsewhere, a read that looked here before learns only here that it ended.
        if level != plan.place || reading.node.stamp != plan.stamp {
            keeper.pointee.endedBuilds.wrappingAdd(1, ordering: .relaxed)  // fault: kept-counted
        }
        if keeper.pointee.rare.load(ordering: .acquiring) != nil { rareKeeper = RareKeeper(handle: handle) }
    }
}

extension Reading {
    /// A build whose inputs are all what reads would return now.
    struct Current {
        let nearest: Int32
        let mask: UInt64
        /// The decision as it is now; no scope further out than its level may keep the value.
        let decision: Decision
        /// Whether the value is as the next read would build it.
        var isLasting = true
    }

    /// The levels and the mask of a build, if its inputs and its decision are what reads would find now; otherwise
    /// nil.
    ///
    /// The caller holds a line.
    func isCurrent(_ shared: inout Build.Shared, _ plan: borrowing Plan) -> Current? {
        if node.stamp == plan.stamp {  // fault: placing-stamp
            return Current(nearest: shared.inputs.nearest, mask: shared.inputs.mask, decision: plan.decision)
        }
        guard let decision = decision(asIn: plan) else {
            _ = shared.state.handle(.superseded)  // fault: superseded
            return nil
        }
        var look = Look()
        // Otherwise a builder would run again and again while anything changes.
        look.overlooksChanging = true  // fault: changing-overlooked
        guard let seen = look.nearest(of: shared.inputs.all, from: node) else { return nil }
        return Current(nearest: seen.level, mask: seen.mask, decision: decision, isLasting: !look.hasOverlooked)
    }

    /// The decision as it is now, if it is the one of the plan, found along the same aliases.
    ///
    /// The caller holds a line.
    func decision(asIn plan: borrowing Plan) -> Decision? {
        guard Look.holds(plan.trail, from: node) else { return nil }  // fault: alias-holds
        let decision = Look.decide(Question(node: node, key: plan.key.address, past: plan.past))
        return decision.version == plan.decision.version ? decision : nil  // fault: placing-decision
    }
}
