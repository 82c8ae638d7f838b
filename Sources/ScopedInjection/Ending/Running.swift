/// Runs the cleanups of a resource in its scope.
extension Resource {
    /// Runs cleanups that nobody holds up; no lock is held.
    ///
    /// Those without `await` run at once, one after the other, and each awaited one in a task of its own, so that one that hangs holds
    /// up nobody but what it was built from.
    ///
    /// - Parameter inTasks: Whether all run in tasks, for a caller that returns at a limit.
    static func begin(_ ready: [Resource], inTasks: Bool = false) {
        if ready.isEmpty { return }
        if inTasks || !Task.isCancelled { return beginAll(ready, inTasks) }
        // No cleanup is cancelled.
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            Task.immediate { beginAll(ready, false) }
        } else {
            Task { beginAll(ready, false) }
        }
    }

    private static func beginAll(_ ready: [Resource], _ inTasks: Bool) {
        // The last one first, as in a closing. What the end of one lets begin comes next, without a call within a call.
        var todo = ready.sorted { $0.version < $1.version }
        // A task that a cleanup starts is no part of the end in which that runs.
        Ending.$caller.withValue(.init()) {
            while let resource = todo.popLast() {
                guard let scope = resource.findScope() else { continue }
                if resource.isPlain, !inTasks {
                    if resource.hasCleanups { scope.run { _ = resource.runPlain(in: scope) } }
                    todo += resource.end()
                } else {
                    resource.runAwaited(in: scope)
                }
            }
        }
    }

    private func runAwaited(in scope: EnvironmentScope) {
        // A body from now on: all that keeps the chain may go before the task begins, and a closing waits for it. The anchor lets go of
        // the chain after the scope, whose own cleanups need it if nobody has closed that.
        let (anchor, body) = (Anchor(scope), scope.enter())
        Task.detached {
            await self.runAwaited(anchor, in: body)
            withExtendedLifetime(anchor) {}
        }
    }

    private func runAwaited(_ anchor: Anchor, in body: Unmanaged<Anchor>) async {
        guard let scope = anchor.scope?.object else { return }
        await Ending.$caller.withValue(.init(resource: self)) {
            await scope.run(in: body) { await self.run(in: scope) }
        }
        Resource.begin(end())
    }

    /// Runs what need not be awaited, as far as the first cleanup that has to be; false if there is one.
    func runPlain(in scope: EnvironmentScope) -> Bool {
        if hasPlain { ThreadState.aside(isCleaning: true) { runEachPlain(in: scope) } }
        return !hasCleanups
    }

    private func runEachPlain(in scope: EnvironmentScope) {
        while let action = takePlain() {
            let stopwatch = isObserved ? Stopwatch() : nil
            var failure: (any Error)?
            do { try action() } catch { failure = error }
            finishNext(in: scope, stopwatch, failure)
        }
    }

    @inline(__always)
    func run(in scope: EnvironmentScope) async {
        while !runPlain(in: scope), let action = nextAwaited {
            let stopwatch = isObserved ? Stopwatch() : nil
            if isObserved { scope.report(ScopeEvent(.cleanupBegan, in: scope, of: nextTitle)) }
            var failure: (any Error)?
            do { try await action() } catch { failure = error }
            finishNext(in: scope, stopwatch, failure)
        }
    }

    /// Drops the cleanup that has run, and tells of it.
    private func finishNext(in scope: EnvironmentScope, _ stopwatch: Stopwatch?, _ error: (any Error)?) {
        defer { dropNext() }
        if stopwatch == nil, error == nil { return }
        let kind = error == nil ? ScopeEvent.Kind.cleanedUp : .cleanupFailed
        let time = stopwatch?.time ?? .zero
        let event = ScopeEvent(kind, in: scope, of: nextTitle, after: time, error)
        scope.report(event)
        if error != nil { scope.watch?.tellOfCleanupFailure(event, in: scope) }
    }

    /// Ends it; returns what it was the last to hold, which the caller begins without a line.
    func end() -> [Resource] {
        let isAwaited = markOver()
        let ready = releaseUses()
        if isAwaited || formerKeeper != nil { Ending.shared.end(id, self) }
        // What was built from it, and is kept, has a reference to it.
        scope = nil
        return ready
    }
}

extension EnvironmentScope {
    /// Tells of a circle of ends, in which nobody has waited.
    func report(circle: [String]?) {
        guard let circle, circle.count > 2 else { return }
        var error = ScopeError(.cycle, advice: "let no cleanup close a scope whose own cleanups close this one.")
        error.fields.path = circle
        let event = ScopeEvent(.cleanupFailed, in: self, error)
        report(event)
        watch?.tellOfCleanupFailure(event, in: self)
    }
}

extension ScopeEvent {
    init(
        _ kind: Kind,
        in scope: EnvironmentScope,
        of title: Cleanup.Title,
        after time: Duration = .zero,
        _ error: (any Error)? = nil
    ) {
        let place = title.place.map { ScopeError.Location($0) }
        self.init(kind, in: scope, of: title.value, after: time, error, at: place)
    }
}
