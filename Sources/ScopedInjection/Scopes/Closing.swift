extension EnvironmentScope {
    var isClosedNow: Bool { node.whileReading { node.pointee.flags.contains(.closed) } }

    /// Adds a cleanup of the scope, or runs it if the scope is already closed.
    func addCleanup(_ action: @escaping Cleanup.Action) {
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
        case .begun(let run):
            await shielded { await Run.$current.withValue(run) { await self.runAll() } }
            run.finish()
        case .underway(let run):
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

    private enum Start { case over, begun(ClosingRun), underway(ClosingRun) }

    /// Closes a scope that has no cleanups, or else begins or finds their run.
    private func startClosing() -> Start {
        var garbage = Garbage()
        var start = Start.over
        let lines = node.startWriting()
        if let run = node.pointee.closing {
            start = .underway(unsafeDowncast(run.takeUnretainedValue(), to: ClosingRun.self))
        } else if node.pointee.cleanups == nil {
            node.close(&garbage)
        } else {
            let run = ClosingRun(of: self)
            node.pointee.closing = .passRetained(run)
            start = .begun(run)
        }
        node.finishWriting(lines)
        garbage.letGo()
        return start
    }

    private func runAll() async { await run { while let cleanup = nextCleanup() { await execute(cleanup) } } }

    /// The cleanup that was added last; nil if none is left, and then the scope is closed.
    private func nextCleanup() -> Cleanup.Action? {
        var garbage = Garbage()
        let lines = node.startWriting()
        let next = node.takeCleanup()
        if next == nil { node.close(&garbage) }
        node.finishWriting(lines)
        garbage.letGo()
        return next?.action
    }

    /// Runs a cleanup to its end, and tells the observers.
    private func execute(_ cleanup: Cleanup.Action) async {
        let watch = node.isObserved ? Stopwatch() : nil
        do {
            try await cleanup()
            if let watch { report(ScopeEvent(.cleanedUp, in: self, after: watch.time)) }
        } catch {
            report(failure: error, after: watch?.time ?? .zero)
        }
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
        pointee.flags.insert(.closed)
        garbage.add(pointee.closing.take()?.takeRetainedValue())
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
