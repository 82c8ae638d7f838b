/// One run of a builder for one read, as its thread works with it: from the announcement to the end.
struct Run: ~Copyable {
    // Both are owned until the end, and unmanaged, because each use would retain and release them.

    /// The builder's scope; new for each run, so that a weak reference to it never finds another run.
    private let view: Unmanaged<EnvironmentScope>
    private let shared: Unmanaged<Build>
    /// Measures the time, if there is an observer.
    private let watch: Stopwatch?

    /// What the read does next.
    enum Outcome {
        /// It returns the value; the keeper, if that may own references of the value.
        case given(Placing.RareKeeper?)
        /// It looks again.
        case again
        /// It throws.
        case failed(ScopeError)
    }

    /// Announces a build; nil if the read has to look again, because another build was there or has kept the value.
    static func begin(_ plan: borrowing Plan, _ reading: borrowing Reading, _ ruledOut: inout [Build])
        throws(ScopeError) -> Run?
    {
        let outer = reading.outer
        try reading.check(plan, within: outer)
        let run = Run(plan, reading, within: outer)
        let announced = run.shared._withUnsafeGuaranteedRef { build in
            Announcing.announce(build, plan, in: reading.node, ruledOut: ruledOut)
        }
        guard let other = announced else {
            // A build that ended before this one was announced may have kept the value after the look.
            let mayBeThere = run.shared._withUnsafeGuaranteedRef { $0.mayBeThere }
            guard mayBeThere, reading.node.hasValue(plan.key, past: plan.past) else { return run }
            run.end(nil, reading)
            return nil
        }
        run.end(nil, reading)
        let watch = plan.isObserved ? Stopwatch() : nil
        let outcome = Announcing.wait(for: other, plan, reading)
        other.noteLeft()
        reading.observe(.waited, plan, since: watch)
        switch outcome {
        case .ruledOut:
            ruledOut.append(other)
        // A closed scope that would have to keep the value of one read need not be the one of another.
        case .over(let error?) where error.code != .cycle && error.code != .closed:  // fault: waited-error
            guard reading.record(failed: other, plan) else { break }
            throw reading.readdressed(error, plan.trail)
        case .over:
            break
        }
        return nil
    }

    private init(_ plan: borrowing Plan, _ reading: borrowing Reading, within outer: Build?) {
        watch = plan.isObserved ? Stopwatch() : nil
        let version = plan.decision.version
        if let spare = Self.takeSpare(reading.node.pointee.lines) {
            spare._withUnsafeGuaranteedRef {
                $0.reuse(plan.key, version, asking: reading.node, reading.thread, around: (outer, reading.within))
            }
            shared = spare
        } else {
            shared = .passRetained(
                Build(plan.key, version, asking: reading.node, reading.thread, around: (outer, reading.within))
            )
        }
        view = .passRetained(EnvironmentScope(givenTo: shared))
        if plan.decision.isDefault, !plan.key.isSafeInTests {  // fault: policy-recorded
            let version: UInt64 = plan.policy.isForbidden ? 1 : 0
            let input = Input(fact: .policy, level: plan.policy.level, key: plan.key.address, version: version)
            shared._withUnsafeGuaranteedRef { $0.record(input, mask: Mask.policy) }
        }
    }

    /// The build, for a caller that needs it counted.
    private var build: Build { shared.takeUnretainedValue() }

    // MARK: Running

    /// Tells the reads of the builder what the look has rejected.
    func know(_ rejections: Rejections) { shared._withUnsafeGuaranteedRef { $0.rejections = rejections } }

    /// Calls user code with the builder's scope as the current one; no lock is held.
    func call<Value>(_ body: (EnvironmentScope) throws -> Value) throws -> Value {
        assert(ThreadState.isFree, "a builder is called under a lock")
        let (thread, anchor) = shared._withUnsafeGuaranteedRef { ($0.thread, $0.takeAnchor(for: view)) }
        let outer = thread.pointee.build
        thread.pointee.build = .fromOpaque(shared.toOpaque())
        thread.pointee.detours += 1
        defer {
            thread.pointee.build = outer
            thread.pointee.detours -= 1
            shared._withUnsafeGuaranteedRef { build in
                build.rejections = nil
                build.giveBack(anchor)
            }
        }
        return try anchor._withUnsafeGuaranteedRef { anchor in
            try Anchor.$current.withValue(anchor) { try view._withUnsafeGuaranteedRef(body) }  // fault: builder-current
        }
    }

    // MARK: Outcome

    /// Ends a run that threw; returns the error of the read, or nil if the read has to look again.
    consuming func fail(
        _ thrown: any Error,
        _ plan: borrowing Plan,
        _ reading: borrowing Reading,
        isLast: Bool
    ) -> ScopeError? {
        var action = reading.node.whileReading {
            build.withShared { $0.handle(.threw(isCurrent: reading.isCurrent(&$0, plan) != nil)) }
        }
        if action == .runAgain, isLast { action = build.withShared { $0.handle(.wasRunTooOften) } }
        if action == .runAgain {
            build.breakCycles()
            end(nil, reading)
            return nil
        }
        let error = action == .report ? reading.explained(thrown, plan) : error(action, plan, reading)
        return failed(error, plan, reading)
    }

    /// The error of a build that met itself, or was run too often.
    private func error(_ action: BuildState.Action, _ plan: borrowing Plan, _ reading: borrowing Reading)
        -> ScopeError
    {
        if action == .reportUnrest { return reading.unrest(plan) }
        return build.cycleError ?? ScopeError(.cycle, key: plan.key)
    }

    /// Ends a run that gives no value, and returns the error for its reader.
    private consuming func failed(_ error: ScopeError, _ plan: borrowing Plan, _ reading: borrowing Reading)
        -> ScopeError
    {
        // What a scoped value depends on, no other scope can see.
        let isForAskerAlone = plan.key.lifetime == .scoped && reading.isOfAskingScope  // fault: scoped-failure
        recordUnkept(plan, reading, isPinned: isForAskerAlone)
        let watch = watch
        assert(Pause.at(Pause.afterFailing))
        end(error, reading)
        reading.observe(.failed, plan, since: watch, error: error)
        return reading.readdressed(error, plan.trail)
    }

    /// Keeps a value where it belongs, and ends the run.
    consuming func finish<Value>(
        _ value: Value,
        _ plan: borrowing Plan,
        _ reading: borrowing Reading,
        isLast: Bool
    ) -> Outcome {
        var placing = Placing(plan)
        defer { reading.letGo(of: &placing.garbage, for: plan.key) }
        shared._withUnsafeGuaranteedRef { build in
            placing.run(plan, reading, build) { version, kept in
                Cell.make(value, plan.key, version: version, kept: kept)
            }
        }
        assert(Pause.at(Pause.afterPlacing))
        if placing.action == .runAgain, isLast { placing.action = build.withShared { $0.handle(.wasRunTooOften) } }
        switch placing.action {
        case .keep, .give:
            // After the end of a test, a closed scope builds without keeping.
            if let refusal = placing.refusal, !reading.isLate(refusal) {
                // What the value was built from tells all else.
                reading.record(.unmoved, plan.key.address, refusal.moves, level: placing.level)
                return .failed(failed(reading.closed(plan, placing.level), plan, reading))
            }
            guard placing.isKept || plan.key.lifetime == .transient || placing.action == .give else {
                // Another thread has kept the value first.
                end(nil, reading)
                return .again
            }
            if reading.isRecorded { record(placing, plan, reading) }
            if let hint = placing.newHint { plan.setHint(hint) }  // fault: hint-kept
            if !placing.isKept { shared._withUnsafeGuaranteedRef { $0.handOnCleanups(to: reading.outer) } }
            let watch = watch
            end(nil, reading)
            reading.observe(.built, plan, since: watch, keptAt: placing.isKept ? placing.level : nil)
            return .given(placing.rareKeeper)
        case .runAgain:
            build.breakCycles()
            end(nil, reading)
            return .again
        default:
            let error = error(placing.action, plan, reading)
            return .failed(failed(error, plan, reading))
        }
    }

    private func record(_ placing: borrowing Placing, _ plan: borrowing Plan, _ reading: borrowing Reading) {
        if placing.isKept, reading.isSeenFromOutside(placing.level) {
            let found = Found(
                version: placing.version,
                level: placing.level,
                mask: placing.mask,
                isPinned: placing.isPinned
            )
            reading.record(found, by: plan.trail)
            if reading.needsInputs(ofKept: placing.level) { reading.record(unkept: build, plan) }  // fault: kept-inputs
        } else {
            recordUnkept(plan, reading)
        }
    }

    /// Records a build whose value is not kept; its scope then stands for the asking one, whoever holds it.
    private func recordUnkept(_ plan: borrowing Plan, _ reading: borrowing Reading, isPinned: Bool = false) {
        let isHeld = !view.isUniquelyReferenced || shared._withUnsafeGuaranteedRef { $0.hasChildren }
        reading.record(unkept: build, plan, isPinned: isHeld || isPinned)  // fault: view-unkept
        // A waiting read of another scope must not be given an error that leads to this one's.
        if isHeld { build.withShared { $0.inputs.isPinned = true } }  // fault: held-by-error
    }

    // MARK: Ending

    private consuming func end(_ error: ScopeError?, _ reading: borrowing Reading) {
        let error = error.map { reading.shared($0) }
        shared._withUnsafeGuaranteedRef { build in
            Announcing.withdraw(build, in: reading.node)
            // First, because a weak reference may still find it. What is left of it holds the build.
            view.release()
            if shared.isUniquelyReferenced, build.endAlone(error) { return }  // fault: view-kept
            build.endWithScope(error, in: reading.node)
        }
        // A waiting thread still has to learn from the build how it ended, and what it had read.
        guard shared.isUniquelyReferenced else { return shared.release() }  // fault: build-unshared
        recycle(reading.node.pointee.lines)
    }

    // MARK: Builds that are used again

    /// Takes the spare build that was left last on this thread.
    private static func takeSpare(_ lines: Lines) -> Unmanaged<Build>? {
        let line = Lines.ofThread()
        guard let spare = lines.take(.builds, line) else { return nil }
        let build = Unmanaged<Build>.fromOpaque(spare.toOpaque())
        if let next = build._withUnsafeGuaranteedRef({ $0.nextSpare.take() }) {
            release(lines.put(next, as: .builds, line))
        }
        return build
    }

    /// Leaves the build, which nothing else refers to, as a spare on this thread.
    private func recycle(_ lines: Lines) {
        shared._withUnsafeGuaranteedRef { $0.clear() }
        let line = Lines.ofThread()
        let spare = Unmanaged<AnyObject>.fromOpaque(shared.toOpaque())
        if lines.putFirst(build: spare, line) { return }
        let isFew = shared._withUnsafeGuaranteedRef { build in
            build.nextSpare = lines.take(.builds, line)
            let next = build.nextSpare.map { Unmanaged<Build>.fromOpaque($0.toOpaque()) }
            build.spareCount = next.map { $0._withUnsafeGuaranteedRef { $0.spareCount + 1 } } ?? 0
            return build.spareCount < Self.mostSpares  // fault: few-spares
        }
        if isFew { return Self.release(lines.put(spare, as: .builds, line)) }
        let others = shared._withUnsafeGuaranteedRef { $0.nextSpare.take() }
        Self.release(lines.put(others, as: .builds, line))
        shared.release()
    }

    /// How many builds a thread leaves, because builders may once be nested very deep.
    private static let mostSpares = 64

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
