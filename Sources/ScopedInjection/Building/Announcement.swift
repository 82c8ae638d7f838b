import Synchronization

extension Build {
    /// What a build carries out; set before it is announced and not while it runs, so whoever holds a line may read it.
    struct Work {
        /// The key of the value that is being built.
        let key: ValueKey
        /// The version of the decision that is carried out.
        let decision: UInt64
        /// The builder that a scope was given, kept by the plan; nil for the key's own.
        fileprivate let provider: Borrowed<Provider>?
        /// The node of the asking scope.
        let asking: NodePointer
        /// The state of the building thread.
        let thread: ThreadState.Pointer
        /// The outermost level where the value may be kept.
        let outermost: Int32
        /// The level up to which the value is only a part of another one.
        let pastLevel: Int32

        @inline(__always)
        init(_ plan: borrowing Plan, _ asking: NodePointer, _ thread: ThreadState.Pointer) {
            (key, self.asking, self.thread) = (plan.key, asking, thread)
            let decision = plan.decision
            (self.decision, provider, pastLevel) = (decision.version, decision.provider, decision.pastLevel)
            outermost = plan.outermost
        }

        /// The place of the builder; nil for the key's own, and where one of several that were given may run.
        var place: BuilderPlace? { provider?.with { $0.onlyPlace } }

        /// What the last run of the builder read; the caller holds a line.
        var hint: Borrowed<Hint>? { if let provider { provider.with { $0.hint.current } } else { key.hint } }

        /// Returns the former hint, to be released; the caller holds every line.
        func exchangeHint(_ hint: Hint) -> Borrowed<Hint>? {
            if let provider { provider.with { $0.hint.exchange(hint) } } else { key.exchangeHint(hint) }
        }
    }

    /// Where a build is announced; guarded by the line of its thread.
    ///
    /// It is copied where a part is read, so it holds nothing that is counted.
    struct Announcement {
        fileprivate(set) var level: Int32?
        /// The handle of the node there, owned; nil for the asking one.
        fileprivate var handle: Borrowed<Handle>?
        /// Whether the run was ever announced.
        var isMade = false
        /// Whether what the run had read so far has become the hint.
        var hasTaught = false
    }
}

/// The caller holds the line of the building thread.
extension Build {
    /// The node where it is announced; nil if there is none any more.
    var announcedNode: NodePointer? {
        // A scope that goes empties its list.
        announcement.level == nil ? nil : announcement.handle.map { $0.node } ?? asking
    }

    /// Sets where it is announced; nil for nowhere.
    func setAnnounced(_ position: (scope: NodePointer, level: Int32)?) {
        if position != nil { announcement.isMade = true }
        let former = announcement.handle
        announcement.level = position?.level
        announcement.handle = position.flatMap { $0.level == 0 ? nil : $0.scope.anyHandle?.retain() }
        followedLevel.store(position?.level ?? .min, ordering: .relaxed)
        former?.release()
    }

    /// Lets a node not keep the value.
    func throwAway(in keeper: NodePointer) { if !thrownAwayIn.contains(keeper) { thrownAwayIn.append(keeper) } }

    func isThrownAway(in keeper: NodePointer) -> Bool { !thrownAwayIn.isEmpty && thrownAwayIn.contains(keeper) }
}
