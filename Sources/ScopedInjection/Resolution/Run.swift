/// One run of a builder on behalf of one read, from the announcement to what became of the value.
struct Run: ~Copyable {
    /// Made for each run, so that whoever holds it weakly never finds it standing for another one.
    private var view: EnvironmentScope?
    private var shared: Build
    private let outer: Unmanaged<AnyObject>?
    /// Takes the time, where anybody observes.
    private let watch: Stopwatch?

    /// What is left to do for who asked.
    enum Outcome {
        /// The value may be given.
        case given
        /// The read has to look again.
        case again
    }

    /// Announces a build; nil where the read has to look again, because it has waited for somebody else's.
    static func begin(
        _ plan: borrowing Plan,
        _ trail: borrowing Trail,
        _ reading: borrowing Reading,
        _ ruledOut: inout [Build]
    ) throws(ScopeError) -> Run? {
        let outer = reading.outer
        try reading.check(plan, trail, within: outer)
        let run = Run(plan, reading, within: outer)
        guard
            let other = Announcing.announce(run.shared, plan, in: reading.node, ruledOut: ruledOut)
        else {
            // A build that was over before this one was announced may have kept the value since it was looked for.
            guard run.shared.mayBeThere, reading.isKept(plan) else { return run }
            run.abandon(reading)
            return nil
        }
        run.abandon(reading)
        let watch = plan.isObserved ? Stopwatch() : nil
        let outcome = Announcing.wait(for: other, in: reading.node, within: outer)
        reading.observe(.waited, plan, since: watch)
        switch outcome {
        case .ruledOut:
            ruledOut.append(other)
        case .over(let error?) where error.code != .cycle:  // fault: waited-error
            reading.record(hopsOf: trail)
            reading.record(unkept: other, plan)
            throw reading.readdressed(error, trail)
        case .over:
            break
        }
        return nil
    }

    private init(_ plan: borrowing Plan, _ reading: borrowing Reading, within outer: Build?) {
        self.outer = reading.thread.pointee.build
        watch = plan.isObserved ? Stopwatch() : nil
        let version = plan.decision.version
        if let spare = Self.takeSpare(reading.node.pointee.lines) {
            spare.reuse(plan.key, version, asking: reading.node, reading.thread, outer: outer)
            shared = spare
        } else {
            shared = Build(plan.key, version, asking: reading.node, reading.thread, outer: outer)
        }
        view = EnvironmentScope(givenTo: shared)
        if plan.decision.isDefault, !plan.key.isSafeInTests {  // fault: policy-recorded
            let version: UInt64 = plan.policy.isForbidden ? 1 : 0
            shared.record(
                Input(
                    fact: .policy,
                    level: plan.policy.level,
                    key: plan.key.address,
                    version: version,
                    place: nil
                ),
                mask: Mask.policy
            )
        }
    }

    // MARK: Running

    /// Calls the user's code, with the builder's scope as the current one and under no lock.
    func call<Value>(_ body: (EnvironmentScope) throws -> Value) throws -> Value {
        guard let view else { fatalError("a run has a scope until it ends") }
        let thread = shared.thread
        assert(ThreadState.isFree, "a builder is called under a lock")
        thread.pointee.build = Unmanaged.passUnretained(shared as AnyObject)
        thread.pointee.detours += 1
        let anchor = shared.takeAnchor(for: view)
        do {
            let value = try Anchor.$current.withValue(anchor) { try body(view) }  // fault: builder-current
            leave(thread, consume anchor)
            return value
        } catch {
            leave(thread, consume anchor)
            throw error
        }
    }

    /// Ends the calling of user's code.
    private func leave(_ thread: ThreadState.Pointer, _ anchor: consuming Anchor) {
        thread.pointee.build = outer
        thread.pointee.detours -= 1
        shared.giveBack(consume anchor)
    }

    // MARK: What became of it

    /// Ends a run that threw; returns where the read has to look again.
    consuming func fail(
        _ thrown: any Error,
        _ plan: borrowing Plan,
        _ trail: borrowing Trail,
        _ reading: borrowing Reading,
        isLast: Bool
    ) throws(ScopeError) {
        let line = reading.node.startReading()
        var action = shared.withShared { shared in
            let isCurrent = reading.isCurrent(&shared, plan, trail) != nil
            return shared.handle(.threw(isCurrent: isCurrent))
        }
        reading.node.finishReading(line)
        if action == .runAgain, isLast { action = shared.withShared { $0.handle(.wasRunTooOften) } }
        if action == .runAgain {
            shared.breakCycles()
            end(nil, reading)
            return
        }
        let error = error(for: action, thrown, plan, reading)
        reading.record(hopsOf: trail)
        reading.record(unkept: shared, plan)
        reading.observe(.failed, plan, since: watch, error: error)
        end(error, reading)
        throw reading.readdressed(error, trail)
    }

    private func error(
        for action: BuildState.Action,
        _ thrown: (any Error)?,
        _ plan: borrowing Plan,
        _ reading: borrowing Reading
    ) -> ScopeError {
        switch action {
        case .reportCycle: return shared.cycleError ?? ScopeError(.cycle, key: plan.key)
        case .reportUnrest: return reading.unrest(plan)
        default: return thrown.map { reading.explained($0, plan) } ?? ScopeError(.cycle, key: plan.key)
        }
    }

    /// Keeps a value where it belongs, and ends the run.
    consuming func finish(
        _ plan: borrowing Plan,
        _ trail: borrowing Trail,
        _ reading: borrowing Reading,
        isLast: Bool,
        _ makeCell: (_ version: UInt64, _ kept: UnsafeMutablePointer<Kept>?) -> Cell
    ) throws(ScopeError) -> Outcome {
        var placing = Placing(plan, reading, shared)
        placing.run(plan, trail, reading, shared, makeCell)
        if placing.action == .runAgain, isLast { placing.action = shared.withShared { $0.handle(.wasRunTooOften) } }
        switch placing.action {
        case .keep, .give:
            // After the end of a test a closed scope builds without keeping.
            if let closed = placing.closed, !reading.isLate {
                reading.record(hopsOf: trail)
                reading.record(unkept: shared, plan)
                reading.record(.closed, plan.key.address, closed, level: placing.level)  // fault: closed-input
                let error = reading.closed(plan, placing.level)
                reading.observe(.failed, plan, since: watch, error: error)
                end(error, reading)
                throw reading.readdressed(error, trail)
            }
            guard placing.isKept || plan.key.lifetime == .transient || placing.action == .give else {
                // Somebody else was faster.
                end(nil, reading)
                return .again
            }
            if reading.isRecorded { record(placing, plan, trail, reading) }
            if let hint = placing.newHint { plan.setHint(hint) }  // fault: hint-kept
            reading.observe(.built, plan, since: watch, keptAt: placing.isKept ? placing.level : nil)
            end(nil, reading, keeper: placing.isKept ? placing.keeper : nil)  // fault: stand-in
            return .given
        case .runAgain:
            shared.breakCycles()
            end(nil, reading)
            return .again
        default:
            let error = error(for: placing.action, nil, plan, reading)
            reading.record(hopsOf: trail)
            reading.record(unkept: shared, plan)
            reading.observe(.failed, plan, since: watch, error: error)
            end(error, reading)
            throw reading.readdressed(error, trail)
        }
    }

    private func record(
        _ placing: borrowing Placing,
        _ plan: borrowing Plan,
        _ trail: borrowing Trail,
        _ reading: borrowing Reading
    ) {
        if placing.isKept, reading.isSeenFromOutside(placing.level) {
            let found = Found(
                placing.version,
                level: placing.level,
                mask: placing.mask,
                isPinned: placing.isPinned
            )
            reading.record(found, by: trail)
            if reading.needsInputs(ofKept: placing.level) { reading.record(inputsOf: shared) }  // fault: kept-inputs
        } else {
            reading.record(hopsOf: trail)
            reading.record(unkept: shared, plan)
        }
    }

    // MARK: Ending

    /// Ends a run that never began.
    private consuming func abandon(_ reading: borrowing Reading) { end(nil, reading) }

    private consuming func end(_ error: ScopeError?, _ reading: borrowing Reading, keeper: Handle? = nil) {
        let isKept = !isKnownUniquelyReferenced(&view)  // fault: view-kept
        // The run keeps the build: retaining it for each of these would cost more than they do.
        Unmanaged.passUnretained(shared)._withUnsafeGuaranteedRef { build in
            Announcing.withdraw(build, in: reading.node)
            if !isKept, build.endAlone(error) { return }
            let standIn = keeper ?? Links.handle(of: reading.node, Lines.ofThread()).takeUnretainedValue()
            let ending = build.end(error, standIn: standIn)
            build.carryOut(ending, standIn: standIn)
            if !ending.cleanups.isEmpty { register(ending.cleanups, standIn) }
        }
        view = nil
        if !isKept { recycle(reading) }
    }

    /// Leaves cleanups to the scope that keeps the value, or that asked for it.
    private func register(_ cleanups: [Closing.Cleanup], _ keeper: Handle) {
        keeper.target?.addCleanups(cleanups)
    }

    // MARK: Builds that are used again

    /// A build that is over: the last one that was left on this thread.
    private static func takeSpare(_ lines: Lines) -> Build? {
        let line = Lines.ofThread()
        guard let spare = lines.take(.builds, line) else { return nil }
        let build = unsafeDowncast(spare.takeRetainedValue(), to: Build.self)
        let next = build.nextSpare
        build.nextSpare = nil
        if let next { release(lines.put(next, as: .builds, line)) }
        return build
    }

    /// Leaves the build to the next one on this thread, where nobody else has it.
    private consuming func recycle(_ reading: borrowing Reading) {
        // Who waited for the build has yet to learn from it how it ended, and what it had read.
        guard isKnownUniquelyReferenced(&shared) else { return }  // fault: build-unshared
        shared.clear()
        let lines = reading.node.pointee.lines
        let line = Lines.ofThread()
        let spare = Unmanaged<AnyObject>.passRetained(shared)
        if lines.putFirst(spare, as: .builds, line) { return }
        shared.nextSpare = lines.take(.builds, line)
        Self.release(lines.put(spare, as: .builds, line))
    }

    /// Lets go of spare builds that another thread has left meanwhile.
    private static func release(_ spares: Unmanaged<AnyObject>?) {
        var spares = spares
        while let spare = spares {
            let build = unsafeDowncast(spare.takeRetainedValue(), to: Build.self)
            spares = build.nextSpare
            build.nextSpare = nil
        }
    }
}
