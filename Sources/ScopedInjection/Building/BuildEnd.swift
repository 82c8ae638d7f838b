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
        var (error, keptAt, isGiven, isPart) = (ScopeError?.none, Int32?.none, true, false)
        switch outcome {
        case .kept(let level, let version):
            keptAt = level
            user?.with { user in
                build.with { user.record(all: $0) }
                _ = user.inputs.addInstance(of: plan.key, version)
                user.record(plan.key, plan.decision.version, past: plan.past, level: level)
            }
        case .unkept: (error, isPart) = (give(build, plan, user), true)
        case .found: isGiven = false
        case .refused(let level):
            build.with { $0.pin() }
            record(build, plan, user)
            error = closed(plan, node, level)
        case .failed(let thrown):
            record(build, plan, user)
            error = explained(thrown, plan, build)
            if error?.code != .cycle, !build.hasReadUnkept { build.failure = error }
        case .changed(let thrown):
            let changed = build.with { $0.changed() }
            if changed != .again { user?.hasReadUnkept = true }
            switch (changed, thrown) {
            case (.again, _):
                isGiven = false
                reportThrownAway(build, plan, stopwatch)
            case (.given, nil): (error, isPart) = (give(build, plan, user), true)
            case (.given, let thrown?):
                record(build, plan, user)
                error = explained(thrown, plan, build)
            case (.refused, _):
                record(build, plan, user)
                error = unrest(plan, node)
            }
        }
        let isReported = isGiven && plan.defaultIs(.reported) && build.with { !$0.hasUnsafeDefault }
        build.with { build in
            let awaited =
                build.announcement.isMade
                ? Announcing.end(build, keptAt: keptAt, runsAgain: !isGiven) : build.takeAwaited()
            if awaited != 0 || build.resource != nil { endResource(of: build, isPart ? user : nil, awaited) }
            // Nobody has met it, or does from now on.
            if !build.isLeftBehind, Borrowed(build).isUniquelyReferenced {
                return Build.reuse(Borrowed(build), read.thread)
            }
            build.end(keeper: build.isLeftBehind ? Links.handle(from: node, at: keptAt ?? 0) : nil)
            Borrowed(build).release()
        }
        user?.with { Announcing.follow($0) }
        if let stopwatch, error != nil || isGiven {
            report(error == nil ? .built : .failed, plan, node, after: stopwatch.time, keptAt: keptAt, error)
        }
        if let error { throw error }
        if let keptAt, node.isWatched { tellOfLateBuild(plan, node, keptAt) }
        if isReported { reportDefault(plan, node) }
        return isGiven
    }

    /// Records a value that is not kept, or a failure, by all that it was built from.
    private static func record(_ build: Borrowed<Build>, _ plan: borrowing Plan, _ user: Borrowed<Build>?) {
        user?.with { user in
            build.with { user.record(all: $0) }
            if let resource = build.resource, resource.line != nil {
                build.asking.whileReading { user.use(resource.uses) }
            }
            if build.hasReadUnkept { user.hasReadUnkept = true }
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
        guard build.hasCleanups, let resource = build.resource else { return nil }
        if let user {
            user.with { $0.takeCleanups(of: resource) }
            return nil
        }
        build.resource = nil
        resource.value = nil
        let scope = build.asking.withScope { $0 }
        if scope.addCleanups(resource) { return nil }
        return scope.isClosedNow ? closed(plan, build.asking, 0) : unrest(plan, build.asking)
    }

    /// Ends what a build is for others: lets its cleanups run if nobody was given the value, or passes it on to what the value
    /// has become a part of.
    private static func endResource(of build: Build, _ user: Borrowed<Build>?, _ awaited: Ends.ID) {
        if let resource = build.resource {
            if resource.hasCleanups {
                build.resource = nil
                return build.asking.withScope { $0 }.letGo(of: resource, for: awaited)
            }
            if let line = resource.line {
                let isOver = build.asking.whileReading {
                    defer { resource.leaveLine() }
                    guard let heir = user?.resource, resource.isAwaited else {
                        return resource.isAwaited
                    }
                    resource.pass(to: heir, line)
                    return false
                }
                if isOver { Ending.shared.end(resource.id) }
            }
        }
        if awaited != 0 { Ending.shared.end(awaited) }
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
        let departure = build.with { build in
            node.whileReading { Look.departure(of: build.inputs.all, from: node) }
        }
        let scope = node.withScope { $0 }
        scope.report(
            ScopeEvent(.thrownAway, in: scope, of: plan.key, after: stopwatch.time, saying: .because(departure))
        )
    }

    /// Tells the test of a value that is kept in a scope which is closed already.
    private static func tellOfLateBuild(_ plan: borrowing Plan, _ node: NodePointer, _ level: Int32) {
        let keeper = node.whileReading {
            let keeper = node.outwards(level)
            return keeper?.pointee.flags.contains(.closed) == true ? keeper?.withScope { $0 } : nil
        }
        if let keeper { keeper.watch?.tellOfLateBuild(of: plan.key, in: keeper) }
    }

    /// Tells observers and the test that a default was given.
    static func reportDefault(_ plan: borrowing Plan, _ node: NodePointer) {
        let scope = node.withScope { $0 }
        let error = forbidden(plan, node).located()
        scope.report(ScopeEvent(.defaultUsed, in: scope, of: plan.key, at: error.reference))
        scope.watch?.tellOfDefault(error)
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
        let place = plan.provider?.place(ofDecoration: Int(build.with { $0.failedDecoration }))
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
        if isCareful { return asking.whileReading { belongsToOneMoment } ? .given : .refused }
        work.thread.pointee.patience = max(0, work.thread.pointee.patience - 1)
        return .again
    }

    /// Whether the hint led elsewhere than to the level that keeps the value; the caller holds a line.
    func isHintWrong(about level: Int32) -> Bool { isFirst || announcement.hasTaught || announcement.level != level }

    /// Whether it was built from another default that is not safe in tests, which was reported itself.
    fileprivate var hasUnsafeDefault: Bool {
        inputs.all.contains { $0.version == Input.byDefault && !ValueKey.at($0.key).isSafeInTests }
    }
}
