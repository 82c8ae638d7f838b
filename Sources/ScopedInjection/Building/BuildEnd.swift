/// How a build ends: what is kept, recorded, cleaned up and reported.
extension Resolution {
    /// Ends a build; whether the read has its value, or else has to look again.
    static func end(
        _ build: Borrowed<Build>,
        _ outcome: Placing.Outcome,
        since stopwatch: Stopwatch?
    ) throws(ScopeError) -> Bool {
        if case .changed(let thrown) = outcome, let settled = build.with({ $0.settled(thrown) }) {
            return try end(build, settled, since: stopwatch)
        }
        let (read, look) = (build.plan.read, build.plan.look)
        let (level, looksAgain) = (outcome.level, outcome.looksAgain)
        var error: ScopeError?
        switch outcome {
        case .kept(let level, let version):
            read.user?.with { user in
                build.with { user.record(all: $0) }
                _ = user.inputs.addInstance(of: read.key, version)
                user.record(read.key, look.version, past: read.past, level: level)
            }
        case .unkept: error = give(build)
        case .found: break
        case .changed: if let stopwatch { reportThrownAway(build, after: stopwatch.time) }
        case .refused(let level):
            build.with { $0.pin() }
            record(build)
            error = closed(read, level, build.place)
        case .restless:
            record(build)
            error = unrest(build)
        case .failed(let thrown):
            record(build)
            read.beginner?.with { $0.record(failureOf: read.key, look.version, build.object) }
            error = explained(thrown, build)
            if error?.code != .cycle, !build.run.hasReadUnkept { build.run.failure = error }
        }
        let reported = !looksAgain && build.plan.defaultIs(.reported) ? build.with { Array($0.inputs.all) } : nil
        let (resource, ready) = build.with { build in
            if build.announcedLevel != nil { Announcing.end(build, keptAt: level, runsAgain: looksAgain) }
            let left = build.takeEnds()
            // Nobody has met it, or does from now on.
            if !build.isOutlived, Borrowed(build).isUniquelyReferenced {
                Build.reuse(Borrowed(build))
            } else {
                build.end(keeper: build.isOutlived ? Links.handle(from: read.node, at: level ?? 0) : nil)
                Borrowed(build).release()
            }
            return left
        }
        // Only now, because nobody is to wait for cleanups who waits for the build.
        if let resource { read.node.withScope { $0 }.letGo(of: resource) } else { Resource.begin(ready) }
        read.user?.with { Announcing.follow($0) }
        if let stopwatch, !looksAgain {
            report(error == nil ? .built : .failed, read, after: stopwatch.time, keptAt: level, error)
        }
        if let error { throw error }
        if let level, read.node.isWatched { tellOfLateBuild(read, level) }
        if let reported { reportDefault(read, from: reported) }
        return !looksAgain
    }

    /// Records a value that is not kept, or a failure, by all that it was built from.
    private static func record(_ build: Borrowed<Build>) {
        let (read, look) = (build.plan.read, build.plan.look)
        read.user?.with { user in
            build.with { user.record(all: $0) }
            if let resource = build.resource { for used in resource.uses { user.use(used) } }
            if build.run.hasReadUnkept { user.run.hasReadUnkept = true }
            user.record(read.key, look.version, past: read.past, level: look.nearest)
        }
    }

    /// Gives a value that is not kept; its cleanups become those of what is built from it, or else of the asking scope.
    ///
    /// Returns the error if that is closed, or if something that the value was built from was let go of meanwhile.
    private static func give(_ build: Borrowed<Build>) -> ScopeError? {
        record(build)
        guard build.run.hasCleanups, let resource = build.resource else { return nil }
        let read = build.plan.read
        if let user = read.user {
            user.with { $0.takeCleanups(of: resource) }
            return nil
        }
        if read.node.withScope({ $0.addCleanups(resource) }) {
            build.resource = nil
            return nil
        }
        return read.node.inspect { read.node.refusesCleanups } ? closed(read, 0, build.place) : unrest(build)
    }

    // MARK: Reports and errors

    /// Reports the end of a build, or of a wait for one.
    static func report(
        _ kind: ScopeEvent.Kind,
        _ read: Read,
        after duration: Duration,
        keptAt level: Int32? = nil,
        _ error: ScopeError? = nil
    ) {
        let (key, node, scope) = (read.key, read.node, read.node.withScope { $0 })
        let (detail, isLate) = node.inspect { () -> (ScopeEvent.Detail, Bool) in
            guard let keeper = level.flatMap({ node.outwards($0) }) else { return (.none, false) }
            let isLate = keeper.pointee.flags.contains(.closed)
            let kept = isLate ? nil : keeper.slot(key.address)?.pointee.cell?.kept
            let reason = kept.map { Keeping($0, of: key, in: keeper, $0.directInputs(in: keeper)) }
            return (.kept(in: keeper.withScope { $0.name }, reason), isLate)
        }
        scope.report(
            ScopeEvent(isLate ? .builtLate : kind, in: scope, of: key, after: duration, error, saying: detail)
        )
    }

    /// Reports a run during which an input has changed.
    private static func reportThrownAway(_ build: Borrowed<Build>, after duration: Duration) {
        let node = build.asking
        let departure = build.with { build in node.inspect { Look.departure(of: build.inputs.all, from: node) } }
        let scope = node.withScope { $0 }
        scope.report(
            ScopeEvent(
                .thrownAway,
                in: scope,
                of: build.key,
                after: duration,
                saying: .because(departure, heldBy: [])
            )
        )
    }

    /// Tells the test of a value that is kept in a scope which is closed already.
    private static func tellOfLateBuild(_ read: Read, _ level: Int32) {
        let node = read.node
        let keeper = node.inspect {
            node.outwards(level).flatMap { $0.pointee.flags.contains(.closed) ? $0.withScope { $0 } : nil }
        }
        if let keeper { keeper.watch?.tellOfLateBuild(of: read.key, in: keeper) }
    }

    /// Tells observers and the test that a default was given.
    static func reportDefault(_ read: Read, from inputs: [Input] = []) {
        let scope = read.node.withScope { $0 }
        var around: [ValueKey] = []
        Build.forEachOnThisThread { if $0.decision == Input.byDefault, $0.key.hasLiveDefault { around.append($0.key) } }
        let error = forbidden(read).located()
        if !inputs.contains(where: \.isLiveDefault) {
            scope.report(ScopeEvent(.defaultUsed, in: scope, of: read.key, at: error.reference))
        }
        guard let watch = scope.watch else { return }
        let all = read.node.inspect { inputs.flatMap { $0.withThoseOfStaying(from: read.node) } }
        watch.tellOfDefault(error, builtFrom: all, for: around)
    }

    private static func unrest(_ build: Borrowed<Build>) -> ScopeError {
        var error = ScopeError(
            .invalid,
            key: build.key,
            searched: build.asking.withScope { $0.chainNames },
            detail: "What \(build.key.name) is built from has changed each time while it was built.",
            advice: "read what changes that often where it is used, and let no builder cause such changes."
        )
        error.fields.builder = build.place
        return error
    }

    /// The error of a value for an error that its builder threw.
    private static func explained(_ error: any Error, _ build: Borrowed<Build>) -> ScopeError {
        let key = build.key
        let place = build.provider?.place(ofDecoration: Int(build.with { $0.run.failedDecoration }))
        guard var known = error as? ScopeError else {
            var failed = ScopeError(.makeFailed, key: key, searched: build.asking.withScope { $0.chainNames })
            (failed.fields.underlyingError, failed.fields.builder) = (error, place)
            return failed
        }
        if known.subject == nil, known.code == .missingValue { known.fields.subject = key }
        if known.code == .cycle, known.subject == key, let place { known.fields.builder = place }
        return known.needed(by: key, place)
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
    /// What becomes of the last run if an input has changed during that: what it returned is given and not kept; nil for others,
    /// after which the builder runs again.
    fileprivate func settled(_ thrown: (any Error)?) -> Placing.Outcome? {
        if !run.isCareful {
            thread.pointee.activity.patience.lose()
            return nil
        }
        run.hasReadUnkept = true
        if !asking.inspect({ belongsToOneMoment }) { return .restless }
        return thrown.map { .failed($0) } ?? .unkept
    }

    /// Takes the cleanups, if nobody was given the value, or else what nobody holds any more that it has read.
    @inline(__always)
    fileprivate func takeEnds() -> (cleanups: Resource?, ready: [Resource]) {
        guard let resource else { return (nil, []) }
        if !resource.hasCleanups { return (nil, resource.releaseUses()) }
        self.resource = nil
        return (resource, [])
    }

    /// Whether the hint led elsewhere than to the level that keeps the value; the caller holds a line.
    func isHintWrong(about level: Int32) -> Bool {
        run.isFirst || hasTaught || announcedLevel != level
    }
}
