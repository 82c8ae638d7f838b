/// How a build ends: what is kept, recorded, cleaned up and reported.
extension Resolution {
    /// Ends a build; whether the read has its value, or else has to look again.
    static func end(
        _ build: Borrowed<Build>,
        _ plan: borrowing Plan,
        _ outcome: Placing.Outcome,
        _ read: Read,
        since stopwatch: Stopwatch?
    ) throws(ScopeError) -> Bool {
        let (node, user) = (read.node, read.user)
        var (error, keptAt, isGiven) = (ScopeError?.none, Int32?.none, true)
        switch outcome {
        case .kept(let level, let version):
            keptAt = level
            user?.with { user in
                build.with { user.record(all: $0) }
                _ = user.inputs.addInstance(of: plan.key, version)
                user.record(plan.key, plan.decision.version, past: plan.past, level: level)
            }
        case .unkept: error = give(build, plan, user)
        case .found: isGiven = false
        case .refused(let level):
            build.with { $0.pin() }
            record(build, plan, user)
            error = closed(plan, node, level)
        case .failed(let thrown):
            record(build, plan, user)
            error = explained(thrown, plan, build)
            if error?.code != .cycle, !build.run.hasReadUnkept { build.run.failure = error }
        case .changed(let thrown):
            let changed = build.with { $0.changed() }
            if changed != .again { user?.run.hasReadUnkept = true }
            switch (changed, thrown) {
            case (.again, _):
                isGiven = false
                reportThrownAway(build, plan, stopwatch)
            case (.given, nil): error = give(build, plan, user)
            case (.given, let thrown?):
                record(build, plan, user)
                error = explained(thrown, plan, build)
            case (.refused, _):
                record(build, plan, user)
                error = unrest(plan, node)
            }
        }
        let reported = isGiven && plan.defaultIs(.reported) ? build.with { Array($0.inputs.all) } : nil
        let left = build.with { build in
            if build.announcedLevel != nil { Announcing.end(build, keptAt: keptAt, runsAgain: !isGiven) }
            let left = Left(build)
            // Nobody has met it, or does from now on.
            if !build.isLeftBehind, Borrowed(build).isUniquelyReferenced {
                Build.reuse(Borrowed(build), read.thread)
            } else {
                build.end(keeper: build.isLeftBehind ? Links.handle(from: node, at: keptAt ?? 0) : nil)
                Borrowed(build).release()
            }
            return left
        }
        // Only now, because nobody is to wait for cleanups who waits for the build.
        left.end(in: node)
        user?.with { Announcing.follow($0) }
        if let stopwatch, error != nil || isGiven {
            report(error == nil ? .built : .failed, plan, node, after: stopwatch.time, keptAt: keptAt, error)
        }
        if let error { throw error }
        if let keptAt, node.isWatched { tellOfLateBuild(plan, node, keptAt) }
        if let reported { reportDefault(plan, node, from: reported) }
        return isGiven
    }

    /// Records a value that is not kept, or a failure, by all that it was built from.
    private static func record(_ build: Borrowed<Build>, _ plan: borrowing Plan, _ user: Borrowed<Build>?) {
        user?.with { user in
            build.with { user.record(all: $0) }
            if let resource = build.resource { for used in resource.uses { user.use(used) } }
            if build.run.hasReadUnkept { user.run.hasReadUnkept = true }
            user.record(plan.key, plan.decision.version, past: plan.past, level: plan.decision.nearest)
        }
    }

    /// Gives a value that is not kept; its cleanups become those of what is built from it, or else of the asking scope.
    ///
    /// Returns the error if that is closed, or if something that the value was built from was let go of meanwhile.
    private static func give(_ build: Borrowed<Build>, _ plan: borrowing Plan, _ user: Borrowed<Build>?)
        -> ScopeError?
    {
        record(build, plan, user)
        guard build.run.hasCleanups, let resource = build.resource else { return nil }
        if let user {
            user.with { $0.takeCleanups(of: resource) }
            return nil
        }
        let node = build.asking
        if node.withScope({ $0.addCleanups(resource) }) {
            build.resource = nil
            return nil
        }
        return node.whileReading { node.refusesCleanups } ? closed(plan, node, 0) : unrest(plan, node)
    }

    /// What a build leaves to be ended.
    private struct Left {
        /// Its cleanups, if nobody was given the value.
        private var cleanups: Resource?
        /// What nobody holds any more that it has read.
        private var ready: [Resource] = []

        @inline(__always)
        init(_ build: Build) {
            if let resource = build.resource { take(resource, of: build) }
        }

        @inline(never)
        private mutating func take(_ resource: Resource, of build: Build) {
            if resource.hasCleanups {
                (cleanups, build.resource) = (resource, nil)
            } else {
                ready = resource.releaseUses()
            }
        }

        @inline(__always)
        func end(in node: NodePointer) {
            if let cleanups { return node.withScope { $0 }.letGo(of: cleanups) }
            Resource.begin(ready)
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
        let (detail, isLate) = node.whileReading { () -> (ScopeEvent.Detail, Bool) in
            guard let keeper = level.flatMap({ node.outwards($0) }) else { return (.none, false) }
            let isLate = keeper.pointee.flags.contains(.closed)
            let kept = isLate ? nil : keeper.slot(plan.key.address)?.pointee.cell?.kept
            let reason = kept.map { Keeping($0, of: plan.key, in: keeper, $0.directInputs(in: keeper)) }
            return (.kept(in: keeper.withScope { $0.name }, reason), isLate)
        }
        scope.report(
            ScopeEvent(isLate ? .builtLate : kind, in: scope, of: plan.key, after: duration, error, saying: detail)
        )
    }

    /// Reports a run during which an input has changed.
    private static func reportThrownAway(_ build: Borrowed<Build>, _ plan: borrowing Plan, _ stopwatch: Stopwatch?) {
        guard let stopwatch else { return }
        let node = build.asking
        let departure = build.with { build in node.whileReading { Look.departure(of: build.inputs.all, from: node) } }
        let scope = node.withScope { $0 }
        scope.report(
            ScopeEvent(.thrownAway, in: scope, of: plan.key, after: stopwatch.time, saying: .because(departure))
        )
    }

    /// Tells the test of a value that is kept in a scope which is closed already.
    private static func tellOfLateBuild(_ plan: borrowing Plan, _ node: NodePointer, _ level: Int32) {
        let keeper = node.whileReading {
            node.outwards(level).flatMap { $0.pointee.flags.contains(.closed) ? $0.withScope { $0 } : nil }
        }
        if let keeper { keeper.watch?.tellOfLateBuild(of: plan.key, in: keeper) }
    }

    /// Tells observers and the test that a default was given.
    static func reportDefault(_ plan: borrowing Plan, _ node: NodePointer, from inputs: [Input] = []) {
        let scope = node.withScope { $0 }
        var around: [ValueKey] = []
        Build.forEachOnThisThread { if $0.decision == Input.byDefault, $0.key.hasLiveDefault { around.append($0.key) } }
        let error = forbidden(plan, node).located()
        if !inputs.contains(where: \.isLiveDefault) {
            scope.report(ScopeEvent(.defaultUsed, in: scope, of: plan.key, at: error.reference))
        }
        scope.watch?.tellOfDefault(error, builtFrom: inputs, for: around)
    }

    private static func unrest(_ plan: borrowing Plan, _ node: NodePointer) -> ScopeError {
        var error = ScopeError(
            .invalid,
            key: plan.key,
            searched: node.withScope { $0.chainNames },
            detail: "What \(plan.key.name) is built from has changed each time while it was built.",
            advice: "read what changes that often where it is used, and let no builder cause such changes."
        )
        error.fields.builder = plan.provider?.onlyPlace
        return error
    }

    /// The error of a value for an error that its builder threw.
    private static func explained(_ error: any Error, _ plan: borrowing Plan, _ build: Borrowed<Build>) -> ScopeError {
        let place = plan.provider?.place(ofDecoration: Int(build.with { $0.run.failedDecoration }))
        guard var known = error as? ScopeError else {
            var failed = ScopeError(.makeFailed, key: plan.key, searched: build.asking.withScope { $0.chainNames })
            (failed.fields.underlyingError, failed.fields.builder) = (error, place)
            return failed
        }
        if known.subject == nil, known.code == .missingValue { known.fields.subject = plan.key }
        if known.code == .cycle, known.subject == plan.key, let place { known.fields.builder = place }
        return known.needed(by: plan.key, place)
    }
}

extension ScopeError {
    /// Whether a deferred value has failed that has no name.
    var isOfNameless: Bool { code == .makeFailed && subject == nil }

    /// The error of a value for that of one that it needs.
    ///
    /// - Parameter place: The value's builder, if it was given to a scope.
    func needed(by value: ValueKey, _ place: BuilderPlace?) -> ScopeError {
        guard code != .cycle, let subject, subject != value else { return self }
        var error = self
        error.fields.path = [value.name] + (path.isEmpty ? [subject.name] : path)
        error.fields.places = [place] + fields.places
        return error
    }
}

extension Build {
    enum Changed { case given, again, refused }

    /// What becomes of a run during which an input has changed.
    fileprivate func changed() -> Changed {
        if run.isCareful { return asking.whileReading { belongsToOneMoment } ? .given : .refused }
        work.thread.pointee.activity.patience = max(0, work.thread.pointee.activity.patience - 1)
        return .again
    }

    /// Whether the hint led elsewhere than to the level that keeps the value; the caller holds a line.
    func isHintWrong(about level: Int32) -> Bool {
        run.isFirst || hasTaught || announcedLevel != level
    }
}
