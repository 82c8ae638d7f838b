/// The reasons not to begin a build.
extension Reading {
    /// Throws for a forbidden default, and for a value that needs itself.
    func check(_ plan: borrowing Plan, within outer: Build?) throws(ScopeError) {
        if plan.policy.isForbidden, !plan.key.hasTestValue, !allowsDefault(of: plan.key) {  // fault: policy-checked
            record(decisionOf: plan)
            record(.policy, plan.key.address, 1, level: plan.policy.level, mask: Mask.policy)
            throw readdressed(defaultForbidden(plan), plan.trail)
        }
        if let outer, mayNeedItself(plan, within: outer) { try reportCycle(plan) }  // fault: cycle-looked-for
    }

    /// Whether one of the builds that the read holds up may be of the same value; only those of this thread are looked at.
    ///
    /// Usually there is no cycle, so none of them is retained for that.
    private func mayNeedItself(_ plan: borrowing Plan, within outer: Build) -> Bool {
        let (key, version) = (plan.key.base, plan.decision.version)
        if let within, within.nestedKeys & key.hashBit != 0 { return true }  // fault: cycle-within
        if outer.nestedKeys & key.hashBit == 0 { return false }  // fault: nested-keys
        var build: Unmanaged<Build>? = .passUnretained(outer)
        while let here = build {
            let (isPossible, next) = here._withUnsafeGuaranteedRef { build -> (Bool, Unmanaged<Build>?) in
                guard build.thread == thread else { return (true, nil) }
                return (isMade(key, version, by: build), build.outerOnThread)
            }
            if isPossible { return true }
            build = next
        }
        return false
    }

    /// Throws if one of the builds is of the same value for the same scope.
    @inline(never)
    private func reportCycle(_ plan: borrowing Plan) throws(ScopeError) {
        let (key, version) = (plan.key.base, plan.decision.version)
        let waiters = Waiters(of: outer, within)
        var depth = 0
        for (index, build) in waiters.builds.enumerated() {
            // An inherited value may be kept as the value itself, further out, so both count as the same value.
            guard isMade(key, version, by: build) else { continue }
            // A builder that makes ever new scopes to read its own value in would never end.
            if node.pointee.isBuilderMade { depth += 1 }
            // What has met itself already gives no value; where its builder goes on all the same, each read would meet
            // itself again, at every depth.
            let isHopeless = build.cycleError != nil  // fault: cycle-hopeless
            guard isHopeless || asksLike(build.asking) || depth > Self.deepest else { continue }  // fault: cycle-scope
            let path = waiters.way(to: index)
            var error = ScopeError(.cycle, key: plan.key, searched: chainNames)
            error.fields.path = path.filter { !$0.isOfObservers }.map(\.key.name) + plan.trail.names
            // If another thread or an observer reads, the builder may go on without that read, so its build is in no
            // cycle.
            let isItsOwn = path.allSatisfy { $0.isRunning(on: thread) && !$0.isOfObservers }  // fault: own-cycle
            if isItsOwn {
                let cycle = Cycle(error)
                for build in path { build.noteCycle(cycle) }  // fault: cycle-noted
            }
            record(decisionOf: plan)
            throw error
        }
    }

    /// Whether the build carries out the decision on the value, and is in progress.
    private func isMade(_ key: ValueKey, _ version: UInt64, by build: Build) -> Bool {
        guard build.decision == version, build.key.base == key else { return false }
        // One on another thread may have ended while this one still runs.
        return build.thread == thread || build.isBuilding  // fault: cycle-over
    }

    /// Whether a read here equals one in the other scope: no scope that a builder made in between decides on
    /// anything.
    private func asksLike(_ other: NodePointer) -> Bool {
        if node == other { return true }
        let line = node.startReading()
        defer { node.finishReading(line) }
        var at = node
        while at.pointee.isBuilderMade,  // fault: cycle-between
            at.pointee.decides & ~Mask.pinned == 0,  // fault: cycle-overridden
            let next = at.next
        {
            if next == other { return true }
            at = next
        }
        return false
    }

    /// How often a value may be built for scopes that its own builder makes, one within the other.
    private static let deepest = 64

    // MARK: After the end

    /// Whether a value that a closed scope does not keep is no error, because the scope is just being closed and lets go of
    /// what reads it, or because the test that the scope belongs to has ended.
    func isLate(_ refusal: Placing.Refusal) -> Bool {
        thread.pointee.closing == refusal.scope  // fault: closing-own
            || (node.withScope { $0.watchInForce?.isEnding } ?? false)
    }

    /// Whether the value's own builder for tests runs, instead of the one that is forbidden.
    func usesTestValue(_ plan: borrowing Plan) -> Bool {
        plan.policy.isForbidden && plan.key.hasTestValue && !allowsDefault(of: plan.key)
    }

    private func allowsDefault(of key: ValueKey) -> Bool {
        node.withScope { $0.watchInForce?.allowsDefault(of: key) } ?? false
    }

    // MARK: Errors

    /// The names of the scopes that were searched.
    var chainNames: [String] { node.withScope { $0.chainNames } }

    private func defaultForbidden(_ plan: borrowing Plan) -> ScopeError {
        let line = node.startReading()
        let name = Policy.name(of: plan.policy, in: node)
        node.finishReading(line)
        var error = ScopeError(.defaultForbidden, key: plan.key, searched: chainNames, detail: name)
        error.fields.forbidden = plan.key
        return error
    }

    func closed(_ plan: borrowing Plan, _ level: Int32) -> ScopeError {
        let name = node.whileReading { node.outwards(level)?.withScope { $0.displayName } }
        let detail = "\(name ?? "the scope") is closed"
        return ScopeError(.closed, key: plan.key, searched: chainNames, detail: detail)
    }

    /// The error of a value whose inputs change during each run of its builder.
    func unrest(_ plan: borrowing Plan) -> ScopeError {
        ScopeError(
            .invalid,
            key: plan.key,
            searched: chainNames,
            detail: "What \(plan.key.name) is built from has changed each time while it was built.",
            advice: "let its builder not cause changes of what it reads."
        )
    }

    /// The error of a value for an error that its builder threw.
    func explained(_ error: any Error, _ plan: borrowing Plan) -> ScopeError {
        let key = plan.key
        guard var known = error as? ScopeError else {
            var failed = ScopeError(.makeFailed, key: key, searched: chainNames)
            failed.fields.underlyingError = error
            return failed
        }
        // The builder of a required value does not know its key.
        if known.subject == nil, known.code == .missingValue { known.fields.subject = key }
        if known.searchedScopes.isEmpty {
            known.fields.searchedScopes = chainNames
        } else {
            // Of its own scope, a builder is not told them.
            known.fields.isSearchRecorded = true  // fault: searched-by-others
        }
        // A provided builder that needs the value itself, further out, has an input that is not there.
        let isInput =
            plan.decision.provider != nil  // fault: own-missing
            && [.missingValue, .defaultForbidden, .parentReleased].contains(known.code) && known.path.isEmpty
        if known.code != .cycle, let subject = known.subject, subject.base != key.base || isInput {
            if known.path.isEmpty { known.fields.path = [subject.name] }
            known.fields.path.insert(key.name, at: 0)  // fault: path-of-keys
        }
        return known
    }

    /// The error of a build for those who wait for it: without the scopes that it searched for its own asking scope.
    func shared(_ error: ScopeError) -> ScopeError {
        var error = error
        if !error.fields.isSearchRecorded { error.fields.searchedScopes = [] }  // fault: asked-scopes
        return error
    }

    /// An error for a reader that asked through an alias, or that waited for the build of another one.
    func readdressed(_ error: ScopeError, _ trail: borrowing Trail) -> ScopeError {
        var error = error
        if error.searchedScopes.isEmpty { error.fields.searchedScopes = chainNames }
        guard !trail.hops.isEmpty, error.subject == trail.key, error.path.isEmpty else { return error }
        error.rename(to: trail.asked)
        return error
    }
}

extension ScopeError {
    /// Makes the value that was asked for its subject, which is an alias of the value that failed.
    mutating func rename(to asked: ValueKey) {
        fields.aliased = subject  // fault: aliased-named
        fields.subject = asked  // fault: asked-name
    }
}

extension Resolution {
    /// The error of a value that can be neither found nor built.
    @inline(never)
    static func failure(_ decision: Decision, _ trail: borrowing Trail, _ reading: borrowing Reading) -> ScopeError {
        reading.record(hopsOf: trail)
        if trail.isCircle {
            var error = ScopeError(.cycle, key: trail.asked, searched: reading.chainNames, detail: "aliases")
            error.fields.path = trail.names
            return error
        }
        let key = trail.key
        let mask = key.base.bit
        reading.record(.decision, key.address, Input.gone, past: trail.past, level: Input.nowhere, mask: mask)
        return reading.readdressed(reading.node.withScope { $0.parentReleased(key) }, trail)
    }
}
