/// Runs the cleanups of a scope: those that are queued, and all of them when the scope is closed.
///
/// One task or thread runs them at a time, one after the other; `NodeFlags.cleaning` says that there is one. What comes
/// meanwhile is queued. Whoever has to know that it has ended waits for the run.
extension EnvironmentScope {
    /// Lets go of what was taken out of the scope, and runs the cleanups that were queued with it.
    func letGoAndClean(_ garbage: inout Garbage) {
        letGo(of: &garbage)
        runQueued()
    }

    /// Runs cleanups of the scope as soon as those before them have ended.
    func runSoon(_ cleanups: CleanupChain) {
        let lines = node.startWriting()
        node.queue(cleanups)
        node.finishWriting(lines)
        runQueued()
    }

    /// Runs what is queued in a task of its own, unless somebody runs cleanups already.
    func runQueued() {
        guard node.extras != nil, case .begun(let first) = startCleaning() else { return }
        startTask(from: first)
    }

    private func startTask(from first: Turn) {
        let anchor = Anchor(self)
        Task.detached {
            await self.finish(.begun(first))
            withExtendedLifetime(anchor) {}
        }
    }

    /// Runs what is queued, or waits for whoever does.
    nonisolated(nonsending) func clean() async { await finish(startCleaning()) }

    /// Runs all cleanups, or waits for whoever does, and then lets go of what cannot stay.
    nonisolated(nonsending) func runCleanups() async { await finish(startCleaning(isClosing: true)) }

    /// Closes a scope whose configuration has failed; what has to be awaited runs in a task of its own.
    @inline(never)
    func closeAfterFailure() {
        guard case .begun(let first) = startCleaning(isClosing: true),
            let awaited = run({ runPlain(from: first) })
        else { return }
        startTask(from: awaited)
    }

    private nonisolated(nonsending) func finish(_ start: Start) async {
        switch start {
        case .over: return
        case .underway: await join()
        case .begun(let first):
            // `withChild` closes the scope in force.
            let anchor = Anchor.current?.node == node ? nil : enter()
            defer { if let anchor { leave(anchor) } }
            let rest =
                if let anchor { Anchor.run(in: anchor) { runAll(from: first) } } else { runAll(from: first) }
            await rest?.value
        }
    }

    private nonisolated(nonsending) func join() async {
        let lines = node.startWriting()
        let run = node.pointee.flags.contains(.cleaning) ? node.cleanupRun(of: self) : nil
        node.finishWriting(lines)
        guard let circle = await run?.wait(), circle.path.count > 2 else { return }
        reportEnd(of: nil, nil, circle)
    }

    // MARK: Taking turns

    /// A cleanup whose turn it is.
    private struct Turn {
        let cleanup: Cleanup
        let isObserved: Bool
    }

    private enum Start { case over, begun(Turn), underway }

    /// Takes the first cleanup to run, which the caller has to run, or finds that somebody does it, or that there is none.
    private func startCleaning(isClosing: Bool = false) -> Start {
        let lines = node.startWriting()
        if isClosing, !node.pointee.flags.contains(.closed) { node.pointee.flags.insert(.closing) }
        if node.pointee.flags.contains(.cleaning) {
            node.finishWriting(lines)
            return .underway
        }
        return takeCleanup(lines).map { .begun($0) } ?? .over
    }

    private func nextCleanup() -> Turn? { takeCleanup(node.startWriting()) }

    /// The next cleanup; nil if none is left, and then the run is over, and a scope that is being closed is closed.
    ///
    /// It unlocks the lines.
    private func takeCleanup(_ lines: Lines.Bits) -> Turn? {
        var garbage = Garbage()
        var run: CleanupRun?
        let isClosing = node.pointee.flags.contains(.closing)
        let next = node.takeQueued() ?? (isClosing ? node.takeCleanup() : nil)
        if next == nil {
            if isClosing {
                node.pointee.flags.formSymmetricDifference([.closed, .closing])
                node.takeCleaned(&garbage)
            }
            node.pointee.flags.remove(.cleaning)
            run = node.pointee.cleanupRun.take()?.take()
        } else {
            node.pointee.flags.insert(.cleaning)
        }
        let isObserved = next != nil && node.isObservedNow
        node.finishWriting(lines)
        letGo(of: &garbage)
        run?.finish()
        return next.map { Turn(cleanup: $0, isObserved: isObserved) }
    }

    // MARK: Running them

    /// Runs cleanups in the scope, which is in force; returns a task that goes on from the first one that has to be awaited.
    ///
    /// A cancellation of the calling task does not reach that task.
    private func runAll(from first: Turn) -> Task<Void, Never>? {
        guard let awaited = runPlain(from: first) else { return nil }
        let lines = node.startWriting()
        let run = node.cleanupRun(of: self)
        node.finishWriting(lines)
        if let outer = Run.current { run.begin(within: outer) }
        // Bound here: in asynchronous code each binding costs the hops of two calls.
        return Run.$current.withValue(run) {
            if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
                Task.immediate { await self.runAwaited(from: awaited) }
            } else {
                Task { await self.runAwaited(from: awaited) }
            }
        }
    }

    /// Runs cleanups as far as the first one that has to be awaited, which is returned.
    private func runPlain(from first: Turn) -> Turn? {
        var next: Turn? = first
        while let turn = next, case .plain(let action) = turn.cleanup.action {
            let stopwatch = turn.isObserved ? Stopwatch() : nil
            do {
                try action()
                reportEnd(of: turn.cleanup, stopwatch)
            } catch {
                reportEnd(of: turn.cleanup, stopwatch, error)
            }
            next = nextCleanup()
        }
        return next
    }

    /// Runs a cleanup that has to be awaited, and all after it.
    private func runAwaited(from first: Turn) async {
        var next: Turn? = first
        while let turn = next, case .awaited(let action) = turn.cleanup.action {
            let stopwatch = turn.isObserved ? Stopwatch() : nil
            do {
                try await action()
                reportEnd(of: turn.cleanup, stopwatch)
            } catch {
                reportEnd(of: turn.cleanup, stopwatch, error)
            }
            next = nextCleanup().flatMap { runPlain(from: $0) }
        }
    }

    private func reportEnd(of cleanup: Cleanup?, _ stopwatch: Stopwatch?, _ error: (any Error)? = nil) {
        if stopwatch == nil, error == nil { return }
        let (kind, time) = (error == nil ? ScopeEvent.Kind.cleanedUp : .cleanupFailed, stopwatch?.time ?? .zero)
        let place = cleanup?.place.map { ScopeError.Location($0) }
        let event = ScopeEvent(kind, in: self, of: cleanup?.value, after: time, error, at: place)
        report(event)
        if error != nil { self.watch?.tellOfCleanupFailure(event, in: self) }
    }
}

/// The caller has called `startWriting`.
extension UnsafeMutablePointer where Pointee == Node {
    /// Queues the cleanups of the values that were taken out of the node.
    func queueCleanups(of garbage: inout Garbage) {
        if let cleanups = garbage.takeCleanups() { queue(cleanups) }
    }

    /// Queues cleanups; in a scope that is being closed they run next.
    fileprivate func queue(_ cleanups: CleanupChain) {
        if pointee.flags.contains(.closing) { return addCleanups(cleanups) }
        let extras = makeExtras()
        if extras.queued == nil { extras.queued = cleanups } else { extras.queued?.append(cleanups) }
    }

    fileprivate func takeQueued() -> Cleanup? { extras.flatMap { CleanupChain.takeFirst(of: &$0.queued) } }

    /// The run of the cleanups; made when somebody first may wait for its end.
    fileprivate func cleanupRun(of scope: EnvironmentScope) -> CleanupRun {
        if let run = pointee.cleanupRun { return run.object }
        let run = CleanupRun(of: scope)
        pointee.cleanupRun = .retaining(run)
        return run
    }
}
