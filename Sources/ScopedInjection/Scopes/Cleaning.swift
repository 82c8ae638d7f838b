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
        guard node.rare != nil, case .begun(let first) = startCleaning() else { return }
        startTask(from: first)
    }

    private func startTask(from first: Cleanup) {
        let anchor = Anchor(self)
        Task.detached { await self.runAll(from: first, in: anchor) }
    }

    /// Runs what is queued, or waits for whoever does.
    nonisolated(nonsending) func clean() async { await finish(startCleaning()) }

    /// Runs all cleanups, or waits for whoever does, and then lets go of what cannot stay.
    nonisolated(nonsending) func runCleanups() async { await finish(startCleaning(isClosing: true)) }

    /// Closes a scope whose configuration has failed; what has to be awaited runs in a task of its own.
    @inline(never)
    func closeAfterFailure() {
        guard case .begun(let first) = startCleaning(isClosing: true), let awaited = runPlain(from: first) else {
            return
        }
        startTask(from: awaited)
    }

    private nonisolated(nonsending) func finish(_ start: Start) async {
        switch start {
        case .over: return
        case .underway: await join()
        case .begun(let first):
            guard let awaited = runPlain(from: first) else { return }
            let (anchor, outer) = (Anchor(self), Run.current)
            await shielded { await self.runAll(from: awaited, in: anchor, within: outer) }
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

    private enum Start { case over, begun(Cleanup), underway }

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

    private func nextCleanup() -> Cleanup? { takeCleanup(node.startWriting()) }

    /// The next cleanup; nil if none is left, and then the run is over, and a scope that is being closed is closed.
    ///
    /// It unlocks the lines.
    private func takeCleanup(_ lines: Lines.Bits) -> Cleanup? {
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
            run = node.rare?.run.take()
        } else {
            node.pointee.flags.insert(.cleaning)
        }
        node.finishWriting(lines)
        letGo(of: &garbage)
        run?.finish()
        return next
    }

    /// Runs cleanups as far as the first one that has to be awaited, which is returned.
    private func runPlain(from first: Cleanup) -> Cleanup? {
        if case .awaited = first.action { return first }
        return run {
            var next: Cleanup? = first
            while let cleanup = next {
                if case .awaited = cleanup.action { break }
                execute(plain: cleanup)
                next = nextCleanup()
            }
            return next
        }
    }

    private func runAll(from first: Cleanup, in anchor: Anchor, within outer: Run? = nil) async {
        let lines = node.startWriting()
        let run = node.cleanupRun(of: self)
        node.finishWriting(lines)
        run.begin(within: outer)
        await Run.$current.withValue(run) {
            await anchor.run {
                var next: Cleanup? = first
                while let cleanup = next {
                    await self.execute(cleanup)
                    next = self.nextCleanup()
                }
            }
        }
    }

    // MARK: Running one

    /// Runs a cleanup to its end, and tells the observers.
    private func execute(_ cleanup: Cleanup) async {
        guard case .awaited(let action) = cleanup.action else { return execute(plain: cleanup) }
        let watch = node.isObserved ? Stopwatch() : nil
        do {
            try await action()
            reportEnd(of: cleanup, watch)
        } catch {
            reportEnd(of: cleanup, watch, error)
        }
    }

    private func execute(plain cleanup: Cleanup) {
        guard case .plain(let action) = cleanup.action else { return }
        let watch = node.isObserved ? Stopwatch() : nil
        do {
            try action()
            reportEnd(of: cleanup, watch)
        } catch {
            reportEnd(of: cleanup, watch, error)
        }
    }

    private func reportEnd(of cleanup: Cleanup?, _ watch: Stopwatch?, _ error: (any Error)? = nil) {
        if watch == nil, error == nil { return }
        var event = ScopeEvent(error == nil ? .cleanedUp : .cleanupFailed, in: self, after: watch?.time ?? .zero)
        if let cleanup { event.note(cleanup.origin) }
        event.error = error
        report(event)
        if error != nil { self.watch?.noteCleanupFailure(event, in: self) }
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
        let rare = makeRare()
        if rare.queued == nil { rare.queued = cleanups } else { rare.queued?.append(cleanups) }
    }

    fileprivate func takeQueued() -> Cleanup? { rare.flatMap { CleanupChain.takeFirst(of: &$0.queued) } }

    /// The run of the cleanups; made when somebody first may wait for its end.
    fileprivate func cleanupRun(of scope: EnvironmentScope) -> CleanupRun {
        let rare = makeRare()
        let run = rare.run ?? CleanupRun(of: scope)
        rare.run = run
        return run
    }
}

/// Runs an operation that the cancellation of the calling task does not reach.
nonisolated(nonsending) private func shielded(_ operation: @escaping @Sendable () async -> Void) async {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        await Task.immediate { await operation() }.value
    } else {
        await Task { await operation() }.value
    }
}
