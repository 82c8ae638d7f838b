extension Reading {
    /// Reports the end of a build, or of a wait for one.
    @inline(__always)
    func observe(
        _ kind: ScopeEvent.Kind,
        _ plan: borrowing Plan,
        since watch: Stopwatch?,
        keptAt level: Int32? = nil,
        error: ScopeError? = nil
    ) {
        guard let watch else { return }
        report(kind, plan, after: watch.time, keptAt: level, error: error)
    }

    @inline(never)
    private func report(
        _ kind: ScopeEvent.Kind,
        _ plan: borrowing Plan,
        after duration: Duration,
        keptAt level: Int32?,
        error: ScopeError?
    ) {
        let around = thread.pointee.innermostBuild?.ancestry
        // Otherwise an observer that reads the value it is told of would be told of that read too, without end.
        if around?.contains(where: { $0.isOfObservers && $0.key.base == plan.key.base }) == true {  // fault: told-once
            return
        }
        let observers = Observing.observers(of: node)
        guard !observers.isEmpty else { return }
        var event = ScopeEvent(kind: kind, scope: node.withScope { $0.label }, duration: duration)
        event.key = plan.key.name
        event.valueType = plan.key.valueName
        event.keptIn = level.map { label(at: $0) }
        event.error = error
        withoutRecording(plan) { for observer in observers { observer(event) } }
    }

    /// Calls user code whose reads are no inputs of the builds that this thread has in progress.
    private func withoutRecording(_ plan: borrowing Plan, _ body: () -> Void) {
        let known = thread.pointee.build
        let observing = Build(plan.key, Input.lost, asking: node, thread, outer: thread.pointee.innermostBuild)
        thread.pointee.build = Unmanaged.passUnretained(observing as AnyObject)
        body()
        thread.pointee.build = known
        _ = observing.endAlone(nil)
    }

    /// Tells the keeper of a value that it keeps it from now on, unless it is gone.
    @inline(never)
    func noteKept<Value>(_ value: Value, by keeper: Placing.RareKeeper) {
        // Not by its level, because observers and other threads may have moved the asking scope since.
        guard let handle = keeper.handle else { return node.withScope { $0.noteKept(value) } }  // fault: keeper-moved
        // Not by its node: under a line a scope may be used that is going, but it must not be retained.
        handle.target?.noteKept(value)  // fault: keeper-going
    }

    private func label(at level: Int32) -> String {
        let line = node.startReading()
        defer { node.finishReading(line) }
        return node.outwards(level)?.withScope { $0.label } ?? ""
    }
}
