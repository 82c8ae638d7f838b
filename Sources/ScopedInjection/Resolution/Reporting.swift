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
        withoutRecording(for: plan.key) { for observer in observers { observer(event) } }
    }

    /// Calls user code whose reads are no inputs of the builds that this thread has in progress.
    ///
    /// The current scope is the asking one itself, because tasks that are started here read through it on other threads.
    private func withoutRecording(for key: ValueKey, _ body: () -> Void) {
        let known = thread.pointee.build
        let innermost = thread.pointee.innermostBuild
        let observing = Build(key, Input.lost, asking: node, thread, around: (innermost, nil))
        thread.pointee.build = Unmanaged.passUnretained(observing as AnyObject)
        if let innermost, !innermost.isOfObservers {
            innermost.asking.withScope { $0 }.run(body)  // fault: observer-current
        } else {
            body()
        }
        thread.pointee.build = known
        _ = observing.endAlone(nil)
    }

    /// Lets go of what was taken out of scopes while a value was read or built; what a `deinit` reads is no input of that.
    @inline(__always)
    func letGo(of garbage: inout Garbage, for key: ValueKey) {
        if garbage.isEmpty || thread.pointee.build == nil { return garbage.letGo() }  // fault: deinit-recorded
        letGoInBuild(of: &garbage, for: key)
    }

    @inline(never)
    private func letGoInBuild(of garbage: inout Garbage, for key: ValueKey) {
        withoutRecording(for: key) { garbage.letGo() }
    }

    /// The same of what a builder returned or threw, and nobody is given; the last reference to it has to be the caller's.
    @inline(never)
    func letGo<Unused>(ofUnused unused: consuming Unused, for key: ValueKey) {
        guard thread.pointee.build != nil else { return }
        var held: Unused? = consume unused
        withoutRecording(for: key) {
            withExtendedLifetime(held) {}
            held = nil
        }
    }

    /// Tells the keeper of a value that it keeps it from now on, unless it is gone.
    @inline(never)
    func noteKept<Value>(_ value: Value, by keeper: Placing.RareKeeper, for key: ValueKey) {
        guard thread.pointee.build != nil else { return noteKept(value, by: keeper) }
        // It may read the mirror of a value, or let go of a scope that the value has owned.
        withoutRecording(for: key) { noteKept(value, by: keeper) }  // fault: kept-recorded
    }

    private func noteKept<Value>(_ value: Value, by keeper: Placing.RareKeeper) {
        // Not by its level, because observers and other threads may have moved the asking scope since.
        guard let handle = keeper.handle else { return node.withScope { $0.noteKept(value) } }  // fault: keeper-moved
        // Not by its node: under a line a scope may be used that is going, but it must not be retained.
        handle.target?.noteKept(value)  // fault: keeper-going
    }

    private func label(at level: Int32) -> String {
        node.whileReading { node.outwards(level)?.withScope { $0.label } ?? "" }
    }
}
