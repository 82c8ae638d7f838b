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
}

/// The caller holds the line of the building thread.
extension Build {
    /// Lets a node not keep the value.
    func throwAway(in keeper: NodePointer) { if !thrownAwayIn.contains(keeper) { thrownAwayIn.append(keeper) } }

    func isThrownAway(in keeper: NodePointer) -> Bool { !thrownAwayIn.isEmpty && thrownAwayIn.contains(keeper) }
}
