/// How a build ends: what is kept, recorded, cleaned up and reported.
extension Resolution {
    /// Withdraws a build, and wakes those who wait for it.
    ///
    /// - Parameters:
    ///   - level: The level of the scope that keeps the value; nil where none does.
    ///   - runsAgain: Whether the builder runs again, because an input has changed.
    private static func finish(
        _ build: Borrowed<Build>,
        _ node: NodePointer,
        keptAt level: Int32? = nil,
        runsAgain: Bool = false
    ) {
        let thread = build.with { build in
            Announcing.end(build, keptAt: level, runsAgain: runsAgain)
            build.end(keeper: build.isLeftBehind ? Links.handle(from: node, at: level ?? 0) : nil)
            return build.thread
        }
        Build.recycle(build, thread)
    }

    /// Ends a build whose value was to be kept; whether the read has its value.
    static func end(
        _ build: Borrowed<Build>,
        _ plan: borrowing Plan,
        _ outcome: Placing.Outcome,
        _ user: Borrowed<Build>?,
        since watch: Stopwatch?
    ) throws(ScopeError) -> Bool {
        let node = build.asking
        var keptAt: Int32?
        var error: ScopeError?
        var isGiven = true
        switch outcome {
        case .kept(let level, let version):
            keptAt = level
            user?.with { user in
                build.with { user.record(all: $0) }
                user.record(plan.key, plan.decision.version, past: plan.past, instance: version, level: level)
            }
        case .unkept:
            error = give(build, plan, user)
        case .changed:
            switch build.with({ $0.changed() }) {
            case .given:
                user?.with { $0.hasReadUnkept = true }
                error = give(build, plan, user)
            case .again:
                isGiven = false
                reportThrownAway(build, plan, watch)
                cleanUp(build)
            case .refused:
                cleanUp(build)
                error = unrest(plan, node)
            }
        case .found:
            isGiven = false
            cleanUp(build)
        case .refused(let level):
            build.with { $0.pin() }
            record(build, plan, user)
            cleanUp(build)
            error = closed(plan, node, level)
        }
        let isReported = isGiven && plan.defaultIs(.reported) && build.with { !$0.hasUnsafeDefault }
        finish(build, node, keptAt: keptAt, runsAgain: !isGiven)
        user?.with { Announcing.follow($0) }
        if let watch, error != nil || isGiven {
            report(error == nil ? .built : .failed, plan, node, after: watch.time, keptAt: keptAt, error)
        }
        if let error { throw error }
        if let keptAt, node.isWatched { noteLateBuild(plan, node, keptAt) }
        if isReported { reportDefault(plan, node) }
        return isGiven
    }

    /// Ends a build that threw; the error of the read, or nil if the builder has to run again.
    static func end(
        _ build: Borrowed<Build>,
        _ plan: borrowing Plan,
        thrown: any Error,
        _ user: Borrowed<Build>?,
        since watch: Stopwatch?
    ) -> ScopeError? {
        let node = build.asking
        let isCurrent = node.whileReading { build.with { Placing.current($0, plan) != nil } }
        let error: ScopeError? =
            switch isCurrent ? .given : build.with({ $0.changed() }) {
            case .given: explained(thrown, plan, node)
            case .again: nil
            case .refused: unrest(plan, node)
            }
        if error == nil { reportThrownAway(build, plan, watch) }
        if let error {
            record(build, plan, user)
            if !isCurrent { user?.with { $0.hasReadUnkept = true } }
            build.with { build in
                if error.code != .cycle, isCurrent, !build.hasReadUnkept { build.failure = error }
            }
        }
        cleanUp(build)
        finish(build, node, runsAgain: error == nil)
        user?.with { Announcing.follow($0) }
        if let watch, let error { report(.failed, plan, node, after: watch.time, error) }
        return error
    }

    /// Records a value that is not kept, or a failure, by all that it was built from.
    private static func record(_ build: Borrowed<Build>, _ plan: borrowing Plan, _ user: Borrowed<Build>?) {
        user?.with { user in
            build.with { build in
                user.record(all: build)
                if build.hasReadUnkept { user.hasReadUnkept = true }
            }
            user.record(plan.key, plan.decision.version, past: plan.past, level: plan.decision.nearest)
        }
    }

    // MARK: Cleanups

    /// Gives a value that is not kept, with its cleanups; the error if these can belong to nobody.
    private static func give(_ build: Borrowed<Build>, _ plan: borrowing Plan, _ user: Borrowed<Build>?)
        -> ScopeError?
    {
        record(build, plan, user)
        return handOver(build, to: user) ? nil : closed(plan, build.asking, 0)
    }

    /// Makes the cleanups of a value that is not kept those of what is built from it, or else of the asking scope; false if
    /// that is closed.
    private static func handOver(_ build: Borrowed<Build>, to user: Borrowed<Build>?) -> Bool {
        build.with { build in
            guard let cleanups = build.takeCleanups() else { return true }
            guard let user else { return build.asking.withScope { $0 }.addCleanups(cleanups) }
            user.with { $0.add(cleanups) }
            return true
        }
    }

    /// Runs the cleanups of a value that nobody gets.
    private static func cleanUp(_ build: Borrowed<Build>) {
        build.with { build in
            if let cleanups = build.takeCleanups() { build.asking.withScope { $0 }.runSoon(cleanups) }
        }
    }

    // MARK: Reports and errors

    /// Reports the end of a build, or of a wait for one.
    static func report(
        _ kind: ScopeEvent.Kind,
        _ plan: borrowing Plan,
        _ node: NodePointer,
        after duration: Duration,
        keptAt level: Int32? = nil,
        _ error: ScopeError? = nil
    ) {
        let scope = node.withScope { $0 }
        let (keeper, isLate) = node.whileReading {
            let keeper = level.flatMap { node.outwards($0) }
            return (keeper?.withScope { $0.label }, keeper?.pointee.flags.contains(.closed) == true)
        }
        var event = ScopeEvent(isLate ? .builtLate : kind, in: scope, after: duration)
        event.noteValue(plan.key)
        event.keptIn = keeper
        event.error = error
        scope.report(event)
    }

    /// Reports a run during which an input has changed.
    private static func reportThrownAway(_ build: Borrowed<Build>, _ plan: borrowing Plan, _ watch: Stopwatch?) {
        guard let watch else { return }
        let node = build.asking
        let input = build.with { build in
            node.whileReading { Look.changed(build.inputs.all, from: node) }
        }
        let departure: Departure = input.map { .changed($0) } ?? .replaced
        let scope = node.withScope { $0 }
        scope.report(ScopeEvent(.thrownAway, of: plan.key, departure, in: scope, after: watch.time))
    }

    /// Tells the test of a value that is kept in a scope which is closed already.
    private static func noteLateBuild(_ plan: borrowing Plan, _ node: NodePointer, _ level: Int32) {
        let keeper = node.whileReading {
            let keeper = node.outwards(level)
            return keeper?.pointee.flags.contains(.closed) == true ? keeper?.withScope { $0 } : nil
        }
        if let keeper { keeper.watch?.noteLateBuild(of: plan.key, in: keeper) }
    }

    /// Tells observers and the test that a default was given.
    static func reportDefault(_ plan: borrowing Plan, _ node: NodePointer) {
        let scope = node.withScope { $0 }
        let error = forbidden(plan, node).located()
        var event = ScopeEvent(.defaultUsed, in: scope, after: .zero)
        event.noteValue(plan.key)
        event.location = error.location
        scope.report(event)
        scope.watch?.noteDefault(error)
    }

    private static func unrest(_ plan: borrowing Plan, _ node: NodePointer) -> ScopeError {
        ScopeError(
            .invalid,
            key: plan.key,
            searched: node.withScope { $0.chainNames },
            detail: "What \(plan.key.name) is built from has changed each time while it was built.",
            advice: "read what changes that often where it is used, and let no builder cause such changes."
        )
    }

    /// The error of a value for an error that its builder threw.
    private static func explained(_ error: any Error, _ plan: borrowing Plan, _ node: NodePointer) -> ScopeError {
        guard var known = error as? ScopeError else {
            var failed = ScopeError(.makeFailed, key: plan.key, searched: node.withScope { $0.chainNames })
            failed.fields.underlyingError = error
            return failed
        }
        if known.subject == nil, known.code == .missingValue { known.fields.subject = plan.key }
        if known.code != .cycle, let subject = known.subject, subject != plan.key {
            if known.path.isEmpty { known.fields.path = [subject.name] }
            known.fields.path.insert(plan.key.name, at: 0)
        }
        return known
    }
}

extension Build {
    enum Changed { case given, again, refused }

    /// What becomes of a run during which an input has changed.
    fileprivate func changed() -> Changed {
        if isCareful { return asking.whileReading { belongsToOneMoment } ? .given : .refused }
        thread.pointee.patience = max(0, thread.pointee.patience - 1)
        return .again
    }

    /// Whether the hint led elsewhere than to the level that keeps the value; the caller holds a line.
    func isHintWrong(about level: Int32) -> Bool { isFirst || hasTaught || announcedLevel != level }

    /// Whether it was built from another default that is not safe in tests, which was reported itself.
    fileprivate var hasUnsafeDefault: Bool {
        inputs.all.contains { $0.version == Input.byDefault && !ValueKey.at($0.key).isSafeInTests }
    }
}
