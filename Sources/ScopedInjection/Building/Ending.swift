/// How a build ends: what is kept, recorded, cleaned up and reported.
extension Resolution {
    /// Withdraws a build, and wakes those who wait for it.
    ///
    /// - Parameter level: The level of the scope that keeps the value; the asking one, where none does.
    static func finish(_ build: Unmanaged<Build>, _ node: NodePointer, keptAt level: Int32 = 0) {
        build._withUnsafeGuaranteedRef { build in
            Announcing.withdraw(build)
            build.end(keeper: build.isLeftBehind ? Links.handle(from: node, at: level) : nil)
        }
        Build.recycle(build)
    }

    /// Ends a build whose value was to be kept; whether the read has its value.
    static func end(
        _ build: Unmanaged<Build>,
        _ plan: borrowing Plan,
        _ outcome: Placing.Outcome,
        _ user: Build?,
        isLast: Bool,
        since watch: Stopwatch?
    ) throws(ScopeError) -> Bool {
        let node = build._withUnsafeGuaranteedRef { $0.asking }
        var keptAt: Int32?
        var error: ScopeError?
        var isGiven = true
        switch outcome {
        case .kept(let level, let version):
            keptAt = level
            if let user {
                build._withUnsafeGuaranteedRef {
                    user.record(all: $0)
                    if $0.hasCleanups { user.record(instance: plan.key, version) }
                }
                user.record(plan.key, plan.decision.version, past: plan.past, level: level)
            }
        case .unkept:
            record(build, plan, user)
            handOver(build, to: user)
        case .changed, .found:
            isGiven = false
            cleanUp(build)
            if isLast, case .changed = outcome { error = unrest(plan, node) }
        case .refused(let level):
            build._withUnsafeGuaranteedRef { $0.pin() }
            record(build, plan, user)
            cleanUp(build)
            error = closed(plan, node, level)
        }
        let isReported = isGiven && plan.defaultIs(.reported) && build._withUnsafeGuaranteedRef { !$0.hasUnsafeDefault }
        finish(build, node, keptAt: keptAt ?? 0)
        if let user { Announcing.followInputs(user) }
        if let watch, error != nil || isGiven {
            report(error == nil ? .built : .failed, plan, node, after: watch.time, keptAt: keptAt, error)
        }
        if let error { throw error }
        if isReported { reportDefault(plan, node) }
        return isGiven
    }

    /// Ends a build that threw; the error of the read, or nil if the builder has to run again.
    static func end(
        _ build: Unmanaged<Build>,
        _ plan: borrowing Plan,
        thrown: any Error,
        _ user: Build?,
        isLast: Bool,
        since watch: Stopwatch?
    ) -> ScopeError? {
        let node = build._withUnsafeGuaranteedRef { $0.asking }
        let isCurrent = node.whileReading { build._withUnsafeGuaranteedRef { Placing.current($0, plan) != nil } }
        let error = isCurrent ? explained(thrown, plan, node) : isLast ? unrest(plan, node) : nil
        if let error {
            record(build, plan, user)
            build._withUnsafeGuaranteedRef { if error.code != .cycle, isCurrent { $0.failure = error } }
        }
        cleanUp(build)
        finish(build, node)
        if let user { Announcing.followInputs(user) }
        if let watch, let error { report(.failed, plan, node, after: watch.time, error) }
        return error
    }

    /// Records a value that is not kept, or a failure, by all that it was built from.
    private static func record(_ build: Unmanaged<Build>, _ plan: borrowing Plan, _ user: Build?) {
        guard let user else { return }
        build._withUnsafeGuaranteedRef { user.record(all: $0) }
        user.record(plan.key, plan.decision.version, past: plan.past, level: plan.decision.nearest)
    }

    // MARK: Cleanups

    /// Makes the cleanups of a value that is not kept those of what is built from it, or else of the asking scope.
    private static func handOver(_ build: Unmanaged<Build>, to user: Build?) {
        build._withUnsafeGuaranteedRef { build in
            guard build.hasCleanups else { return }
            if let user { return user.add(build.cleanups) }
            let scope = build.asking.withScope { $0 }
            for cleanup in build.cleanups { scope.addCleanup(cleanup) }
        }
    }

    /// Runs the cleanups of a value that nobody gets.
    private static func cleanUp(_ build: Unmanaged<Build>) {
        build._withUnsafeGuaranteedRef { build in
            guard build.hasCleanups else { return }
            build.asking.withScope { $0 }.runLater(build.cleanups.reversed())
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
        var event = ScopeEvent(kind, in: scope, after: duration)
        event.noteValue(plan.key)
        event.keptIn = level.flatMap { level in node.whileReading { node.outwards(level)?.withScope { $0.label } } }
        event.error = error
        scope.report(event)
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
            advice: "let its builder not cause changes of what it reads."
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
    /// Whether it was built from another default that is not safe in tests, which was reported itself.
    fileprivate var hasUnsafeDefault: Bool {
        inputs.all.contains { $0.version == Input.byDefault && !ValueKey.at($0.key).isSafeInTests }
    }
}
