/// One run of a builder for one read, as its thread works with it: from the announcement to the end.
struct Run: ~Copyable {
    /// The builder's scope; new for each run, so that a weak reference to it never finds another run.
    private var view: EnvironmentScope?
    private var shared: Build
    private let outer: Unmanaged<AnyObject>?
    /// Measures the time, if there is an observer.
    private let watch: Stopwatch?

    /// What the read does next.
    enum Outcome {
        /// It returns the value.
        case given
        /// It looks again.
        case again
    }

    /// Announces a build; nil if the read has to look again, because another build was there or has kept the value.
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
            // A build that ended before this one was announced may have kept the value after the look.
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
        // A closed scope that would have to keep the value of one read need not be the one of another.
        case .over(let error?) where error.code != .cycle && error.code != .closed:  // fault: waited-error
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

    /// Calls user code with the builder's scope as the current one; no lock is held.
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

    /// Ends the call of user code.
    private func leave(_ thread: ThreadState.Pointer, _ anchor: consuming Anchor) {
        thread.pointee.build = outer
        thread.pointee.detours -= 1
        shared.giveBack(consume anchor)
    }

    // MARK: Outcome

    /// Ends a run that threw; returns if the read has to look again.
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
        let watch = watch
        end(error, reading)
        reading.observe(.failed, plan, since: watch, error: error)
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
            // After the end of a test, a closed scope builds without keeping.
            if let closed = placing.closed, !reading.isLate {
                reading.record(hopsOf: trail)
                reading.record(unkept: shared, plan)
                let fact: Input.Fact = placing.isOutermost ? .closedOutermost : .closed
                let key = plan.key.address
                reading.record(fact, key, closed, past: plan.past, level: placing.level)  // fault: closed-input
                let error = reading.closed(plan, placing.level)
                let watch = watch
                end(error, reading)
                reading.observe(.failed, plan, since: watch, error: error)
                throw reading.readdressed(error, trail)
            }
            guard placing.isKept || plan.key.lifetime == .transient || placing.action == .give else {
                // Another thread has kept the value first.
                end(nil, reading)
                return .again
            }
            if reading.isRecorded { record(placing, plan, trail, reading) }
            if let hint = placing.newHint { plan.setHint(hint) }  // fault: hint-kept
            let watch = watch
            end(nil, reading)
            reading.observe(.built, plan, since: watch, keptAt: placing.isKept ? placing.level : nil)
            return .given
        case .runAgain:
            shared.breakCycles()
            end(nil, reading)
            return .again
        default:
            let error = error(for: placing.action, nil, plan, reading)
            reading.record(hopsOf: trail)
            reading.record(unkept: shared, plan)
            let watch = watch
            end(error, reading)
            reading.observe(.failed, plan, since: watch, error: error)
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

    /// Ends a run whose builder was not called.
    private consuming func abandon(_ reading: borrowing Reading) { end(nil, reading) }

    private consuming func end(_ error: ScopeError?, _ reading: borrowing Reading) {
        let isKept = !isKnownUniquelyReferenced(&view)  // fault: view-kept
        // The run keeps the build alive: retaining it for each of these calls would cost more than they do.
        Unmanaged.passUnretained(shared)._withUnsafeGuaranteedRef { build in
            Announcing.withdraw(build, in: reading.node)
            if !isKept, build.endAlone(error) { return }
            build.endWithScope(error, in: reading.node)
        }
        view = nil
        if !isKept { recycle(reading) }
    }

    // MARK: Builds that are used again

    /// Takes the spare build that was left last on this thread.
    private static func takeSpare(_ lines: Lines) -> Build? {
        let line = Lines.ofThread()
        guard let spare = lines.take(.builds, line) else { return nil }
        let build = unsafeDowncast(spare.takeRetainedValue(), to: Build.self)
        let next = build.nextSpare
        build.nextSpare = nil
        if let next { release(lines.put(next, as: .builds, line)) }
        return build
    }

    /// Leaves the build as a spare on this thread, if nothing else refers to it.
    private consuming func recycle(_ reading: borrowing Reading) {
        // A waiting thread still has to learn from the build how it ended, and what it had read.
        guard isKnownUniquelyReferenced(&shared) else { return }  // fault: build-unshared
        shared.clear()
        let lines = reading.node.pointee.lines
        let line = Lines.ofThread()
        let spare = Unmanaged<AnyObject>.passRetained(shared)
        if lines.putFirst(spare, as: .builds, line) { return }
        shared.nextSpare = lines.take(.builds, line)
        Self.release(lines.put(spare, as: .builds, line))
    }

    /// Releases spare builds that another thread has left meanwhile.
    private static func release(_ spares: Unmanaged<AnyObject>?) {
        var spares = spares
        while let spare = spares {
            let build = unsafeDowncast(spare.takeRetainedValue(), to: Build.self)
            spares = build.nextSpare
            build.nextSpare = nil
        }
    }
}
