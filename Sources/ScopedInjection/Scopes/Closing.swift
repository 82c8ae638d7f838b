extension EnvironmentScope {
    var isClosedNow: Bool { node.whileReading { node.pointee.flags.contains(.closed) } }

    /// Adds a cleanup of the scope, or runs it if the scope is already closed.
    func addCleanup(_ action: Cleanup.Action) {
        let lines = node.startWriting()
        let isTooLate = node.pointee.flags.contains(.closed)
        if !isTooLate { node.addCleanup(action) }
        node.finishWriting(lines)
        if isTooLate { runLater([action]) }
    }

    /// Lets go of what was taken out of the scope, and runs the cleanups of the values.
    func letGo(of garbage: inout Garbage) {
        let cleanups = garbage.takeCleanups()
        garbage.letGo()
        runLater(cleanups)
    }

    /// Runs cleanups in a task of their own; it keeps the scope and its chain alive.
    func runLater(_ cleanups: [Cleanup.Action]) {
        if cleanups.isEmpty { return }
        let anchor = Anchor(self)
        Task.detached { await anchor.run { for cleanup in cleanups { await self.execute(cleanup) } } }
    }

    /// Runs all cleanups, the last one first, and then lets go of what is kept.
    nonisolated(nonsending) func runCleanups() async {
        switch startClosing() {
        case .over: return
        case .begun(let first):
            guard let awaited = runPlain(from: first) else { return }
            let run = closingRun()
            run.begin(within: Run.current)
            await shielded { await Run.$current.withValue(run) { await self.runAll(from: awaited) } }
        case .underway:
            let run = closingRun()
            // Else nobody might come by again who ends it.
            if isClosedNow { endClosingRun() }
            guard let circle = await run.wait(), circle.path.count > 2 else { return }
            report(failure: circle)
        }
    }

    /// Lets go of all that is kept here, after running its cleanups.
    nonisolated(nonsending) func discardKept() async {
        var garbage = Garbage()
        takeKept(&garbage)
        let cleanups = garbage.takeCleanups()
        if cleanups.isEmpty { return }
        await shielded { await self.run { for cleanup in cleanups { await self.execute(cleanup) } } }
    }

    private func takeKept(_ garbage: inout Garbage) {
        let lines = node.startWriting()
        node.takeKept(&garbage)
        // What is kept further in may have been built from a value with cleanups.
        node.noteChange()
        node.finishWriting(lines)
    }

    private enum Start { case over, begun(Cleanup.Action), underway }

    /// Closes a scope that has no cleanups; else takes the first one, or finds who runs them.
    private func startClosing() -> Start {
        let lines = node.startWriting()
        if !node.pointee.flags.isDisjoint(with: [.closing, .closed]) {
            defer { node.finishWriting(lines) }
            return node.pointee.flags.contains(.closed) ? .over : .underway
        }
        node.pointee.flags.insert(.closing)
        return takeCleanup(lines).map { .begun($0) } ?? .over
    }

    private func nextCleanup() -> Cleanup.Action? { takeCleanup(node.startWriting()) }

    /// The cleanup that was added last; nil if none is left, and then the scope is closed.
    ///
    /// It unlocks the lines.
    private func takeCleanup(_ lines: Lines.Bits) -> Cleanup.Action? {
        var garbage = Garbage()
        let next = node.takeCleanup()
        if next == nil { node.close(&garbage) }
        node.finishWriting(lines)
        garbage.letGo()
        if next == nil { endClosingRun() }
        return next?.action
    }

    /// The run of the cleanups; made when somebody first waits for its end.
    private func closingRun() -> ClosingRun {
        node.makeRare().state.withLock { state in
            let run = state.closing ?? ClosingRun(of: self)
            state.closing = run
            return run
        }
    }

    private func endClosingRun() { node.rare?.state.withLock { $0.closing.take() }?.finish() }

    /// Runs cleanups as far as the first one that has to be awaited, which is returned.
    private func runPlain(from first: Cleanup.Action) -> Cleanup.Action? {
        if case .awaited = first { return first }
        return run {
            var next: Cleanup.Action? = first
            while let cleanup = next {
                if case .awaited = cleanup { break }
                execute(plain: cleanup)
                next = nextCleanup()
            }
            return next
        }
    }

    private func runAll(from first: Cleanup.Action) async {
        await run {
            var next: Cleanup.Action? = first
            while let cleanup = next {
                await execute(cleanup)
                next = nextCleanup()
            }
        }
    }

    /// Runs a cleanup to its end, and tells the observers.
    private func execute(_ cleanup: Cleanup.Action) async {
        guard case .awaited(let action) = cleanup else { return execute(plain: cleanup) }
        let watch = node.isObserved ? Stopwatch() : nil
        do {
            try await action()
            reportEnd(watch)
        } catch {
            report(failure: error, after: watch?.time ?? .zero)
        }
    }

    private func execute(plain cleanup: Cleanup.Action) {
        guard case .plain(let action) = cleanup else { return }
        let watch = node.isObserved ? Stopwatch() : nil
        do {
            try action()
            reportEnd(watch)
        } catch {
            report(failure: error, after: watch?.time ?? .zero)
        }
    }

    private func reportEnd(_ watch: Stopwatch?) {
        if let watch { report(ScopeEvent(.cleanedUp, in: self, after: watch.time)) }
    }

    private func report(failure error: any Error, after duration: Duration = .zero) {
        var event = ScopeEvent(.cleanupFailed, in: self, after: duration)
        event.error = error
        report(event)
        watch?.noteCleanupFailure(error, in: self)
    }
}

/// The caller has called `startWriting`.
extension UnsafeMutablePointer where Pointee == Node {
    fileprivate func close(_ garbage: inout Garbage) {
        pointee.flags.formSymmetricDifference([.closed, .closing])
        noteChange()
        takeKept(&garbage)
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
