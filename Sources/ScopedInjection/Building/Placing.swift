import Synchronization

/// Keeps a built value where it belongs, unless something has changed.
struct Placing: ~Copyable {
    enum Outcome {
        case kept(level: Int32, version: UInt64)
        /// The value is for this read alone, or a part of what is built from it.
        case unkept
        /// The builder threw.
        case failed(any Error)
        /// An input has changed, so the builder, which may have thrown, runs again.
        case changed(thrown: (any Error)?)
        /// Inputs have changed until nobody waits any longer for a run during which none does.
        case restless
        /// Another thread has kept the value first.
        case found
        /// The value has a cleanup, and the scope that would have to keep it is closed.
        case refused(level: Int32)

        /// Whether the read looks again.
        var looksAgain: Bool {
            switch self {
            case .found, .changed: true
            default: false
            }
        }

        /// The level that keeps the value; nil if none does.
        var level: Int32? { if case .kept(let level, _) = self { level } else { nil } }
    }

    /// What was replaced, to be let go of when no line is held.
    private var garbage = Garbage()

    /// The outermost level where a value may be kept, that up to which it is only a part of another one, and its mask.
    typealias Current = (outermost: Int32, pastLevel: Int32, mask: UInt64)

    /// What the inputs of a build say of where its value is kept, as reads would find them now; nil if they differ.
    ///
    /// The caller holds a line.
    @inline(__always)
    static func current(_ build: Build) -> Current? {
        if build.asking.stamp != build.plan.stamp { return checked(build) }
        let look = build.plan.look
        return (min(build.nearest, look.level), look.pastLevel, build.run.mask)
    }

    @inline(never)
    private static func checked(_ build: Build) -> Current? {
        let decision = Look.decide(build.key.address, past: build.plan.read.past, from: build.asking)
        guard decision.version == build.decision,
            let (nearest, mask) = Look.check(build.inputs.all, from: build.asking) ?? (begins(build) ? (0, 0) : nil)
        else { return nil }
        return (min(nearest, decision.level), decision.pastLevel, mask | build.run.mask & Mask.pinned)
    }

    /// Whether what stays is kept although an input has changed again: it is begun however often that changes.
    private static func begins(_ build: Build) -> Bool {
        build.plan.isOnce && build.run.isCareful && build.belongsToOneMoment
    }

    /// The outcome of a builder that threw.
    static func outcome(of error: any Error, _ build: Build) -> Outcome {
        build.asking.whileReading { current(build) != nil } ? .failed(error) : .changed(thrown: error)
    }

    /// Keeps a copy of the value, or says why not.
    @inline(__always)
    mutating func place(_ value: UnsafeRawPointer, of build: Build) -> Outcome {
        let (node, lines) = (build.asking, build.asking.pointee.lines)
        var needed = Lines.Bits(bits: node.pointee.readers.load(ordering: .acquiring))
        while true {
            let held = needed
            lines.lock(held)
            defer { node.finishWriting(held) }
            guard let now = Self.current(build) else { return .changed(thrown: nil) }
            let level = build.plan.isOnce || now.mask & Mask.pinned != 0 ? 0 : now.outermost
            let isUnkept = !build.plan.isKept || level <= now.pastLevel
            guard let keeper = isUnkept ? node : node.outwards(level) else { return .changed(thrown: nil) }
            // The readers of the keeper are all of those further in.
            let readers = keeper.pointee.readers.load(ordering: .relaxed)
            if readers & ~held.bits == 0 {
                let outcome = isUnkept ? .unkept : keep(build, in: keeper, level, now.mask, held, value)
                // A part of another value gives them to that.
                if build.plan.read.user == nil, case .unkept = outcome { return Self.giveCleanups(of: build) }
                return outcome
            }
            needed = Lines.Bits(bits: held.bits | readers)
        }
    }

    /// Lets go of what was replaced, once nobody waits for the build any more.
    @inline(__always)
    mutating func letGo(_ outcome: Outcome, from node: NodePointer) {
        if let level = outcome.level, !garbage.isEmpty { letGoOfReplaced(at: level, from: node) }
    }

    @inline(never)
    private mutating func letGoOfReplaced(at level: Int32, from node: NodePointer) {
        // Not by a handle of the asking scope: most have none, and one would make the scope slower to retain.
        let keeper = level == 0 ? node.withScope { $0 } : Links.handle(from: node, at: level)?.aliveScope
        if let keeper { garbage.letGo(of: keeper) }
    }

    /// Gives the cleanups of a value that is not kept to the asking scope.
    ///
    /// Under the lines of the look at its inputs: whoever lets go of one of them finds either a build, which runs again, or
    /// what the scope has.
    private static func giveCleanups(of build: Build) -> Outcome {
        guard build.run.hasCleanups, let resource = build.resource else { return .unkept }
        if build.asking.refusesCleanups { return .refused(level: 0) }
        build.resource = nil
        // It belongs to the scope, which does not keep the value.
        resource.value = nil
        _ = build.asking.add(resource, isNext: true)
        return .unkept
    }

    /// Keeps the value; the caller holds the lines of all readers of the keeper.
    @inline(__always)
    private mutating func keep(
        _ build: Build,
        in keeper: NodePointer,
        _ level: Int32,
        _ mask: UInt64,
        _ held: Lines.Bits,
        _ value: UnsafeRawPointer
    ) -> Outcome {
        let isClosed = keeper.refusesCleanups
        if build.run.hasCleanups, isClosed { return .refused(level: level) }
        // In a closed scope nothing stays that was built from what has ended.
        let isOnce = build.plan.isOnce && !isClosed
        if build.run.hasReadUnkept, !isOnce { return .unkept }
        // What stays uses what it was built from for as long.
        let isResource = build.run.hasCleanups || isOnce && build.resource?.uses.isEmpty == false
        // Of a build that is not announced nobody knows what is let go of.
        if build.announcedLevel == nil, build.asking.stamp != build.plan.stamp { return .changed(thrown: nil) }
        if build.isThrownAway(in: keeper) { return .changed(thrown: nil) }
        let slot = keeper.makeSlot(build.key.address)
        if let kept = slot.pointee.cell?.kept {
            if Look.find(build.key.address, past: build.plan.read.past, from: build.asking).cell != nil {
                return .found
            }
            garbage.takeCell(of: slot, of: keeper, Look.departure(of: kept, build.key, in: keeper))
        }
        let version = keeper.pointee.lines.nextVersion(held.bits.trailingZeroBitCount)
        let count = build.inputs.all.count
        let size = Kept.size(for: count)
        let cell = Cell.make(build.key, version: version, keptSize: size)
        let used = isResource ? [] : build.resource?.uses ?? []
        // Another scope of the role further in has its own.
        let mask =
            isOnce ? build.key.maskOfBegun(by: build.decision) : build.plan.isOnce ? mask | Mask.pinned : mask
        cell.kept?.initialize(
            to: Kept(
                checked: Atomic(keeper.stamp),
                mask: Atomic(mask),
                decision: build.decision,
                hashes: build.inputs.hashes,
                resource: isResource ? build.resource.map { Borrowed($0) } : nil,
                isOnce: isOnce,
                isOnResources: !used.isEmpty,
                usedResources: used,
                inputCount: UInt32(truncatingIfNeeded: count),
                size: UInt32(truncatingIfNeeded: size)
            ),
            build.inputs.all
        )
        build.key.copyValue(at: value, to: cell.address)
        // Its builder was called by another one of this thread, which goes on to record the value.
        if let outer = build.run.outer {
            cell.markInput()
            cell.kept?.withResources { used in outer.with { $0.use(used) } }
        }
        slot.pointee.cell = cell
        if isResource, let resource = build.resource.take() {
            resource.version = version
            garbage.addRevived(keeper.add(resource, isNext: false))
        }
        if garbage.resource != nil { keeper.letGo(&garbage, usedBy: .inside) }
        if !keeper.pointee.hasKept { keeper.markTidied() }
        keeper.pointee.hasKept = true
        Announcing.withdraw(build, keptAt: level)
        return .kept(level: level, version: version)
    }
}
