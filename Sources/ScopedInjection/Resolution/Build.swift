import Synchronization

/// One run of one builder, as other threads see it: it records its inputs, and others wait for it.
///
/// The builder's scope leads to it. That scope stands for the asking scope while the builder runs, and afterwards for the
/// keeper, if there is one. A build that nothing else refers to is used again for the next one on its thread.
final class Build: @unchecked Sendable {
    // Sendable because the lock guards what several threads use, and the rest belongs to the building thread.

    // MARK: Of the building thread, set before another thread can reach the build

    /// The key of the value that is being built.
    @exclusivity(unchecked) private(set) var key: ValueKey
    /// The version of the decision that is carried out, which tells this build from others of the same key.
    @exclusivity(unchecked) private(set) var decision = Input.byDefault
    /// The node of the asking scope; valid while the build is in progress.
    @exclusivity(unchecked) private(set) var asking: NodePointer
    @exclusivity(unchecked) private(set) var thread: ThreadState.Pointer
    /// Whether it stands between observers and the builds around them: no read has its decision, so it is in no cycle.
    var isOfObservers: Bool { decision == Input.lost }
    /// The build that needs this one, and the one that its read was for besides, until this one is over.
    ///
    /// The building thread changes it under the lock, so that thread reads it without.
    @exclusivity(unchecked) private var around: Around = (nil, nil)
    typealias Around = (outer: Build?, within: Build?)
    /// The hash bits of the keys of this build and of all that it may hold up.
    @exclusivity(unchecked) private(set) var nestedKeys: UInt64 = 0

    /// The anchor that makes the builder's scope current, owned; made for the first run, and kept for the next ones.
    @exclusivity(unchecked) private var anchor: Unmanaged<Anchor>?
    /// What a look has rejected, while the builder runs.
    @exclusivity(unchecked) var rejections: Rejections?
    /// The next spare build in the list that a thread has left, and how many come after this one.
    @exclusivity(unchecked) var nextSpare: Unmanaged<AnyObject>?
    @exclusivity(unchecked) var spareCount = 0

    // MARK: Of any thread, under the lock

    private let lock = SpinLock()
    @exclusivity(unchecked) private var shared = Shared()

    /// The state that several threads use.
    struct Shared: ~Copyable {
        var isOver = false
        /// Whether the value is kept, so that other threads may have it, and with it the builder's scope: for them the build
        /// is over.
        var isPlaced = false
        var state = BuildState()
        var inputs = InputList()
        var waiting: [Signal] = []
        var cleanups: [Closing.Cleanup] = []
        /// The reason why there is no value, once the build is over; only for threads that found the announcement,
        /// because the error may hold the builder's scope, and so the build.
        var error: ScopeError?
        /// The cycles that the value is part of.
        var cycles: [Cycle] = []
        /// The handle of the keeper, once the value is kept further out or the build is over; that of the asking scope if the
        /// value is kept nowhere.
        var standIn: Handle?
        /// The link of the children of the builder's scope.
        var childLink: Handle?

        /// Lets the builder's scope stand for the keeper, and its children lie below that; under every line.
        ///
        /// At the moment of placing, when the keeper is an ancestor of the asking scope: later the keeper might lie
        /// below such a child itself, and the links would close a circle.
        mutating func settle(in keeper: Handle) {
            standIn = keeper  // fault: stand-in
            guard let childLink else { return }
            childLink.standIn = keeper
            Lines.shared.noteMove()
        }

        /// Takes the cleanups out, for whoever registers them.
        mutating func takeCleanups() -> [Closing.Cleanup] {
            defer { if !cleanups.isEmpty { cleanups = [] } }
            return cleanups
        }

        /// Passes an event to the state; a cycle that is not broken is reported to it first.
        mutating func handle(_ event: BuildState.Event) -> BuildState.Action {
            if !cycles.isEmpty, cycles.contains(where: { !$0.isBroken }) { _ = state.handle(.metItself) }
            return state.handle(event)
        }
    }

    /// Runs a function on the shared state; it calls no user code and releases no object of the user's.
    @inline(__always)
    func withShared<Result: ~Copyable>(_ body: (inout Shared) -> Result) -> Result {
        lock.withLock { body(&shared) }  // fault: build-lock
    }

    // MARK: Of the node where the build is announced, under its lock

    @exclusivity(unchecked) var nextAnnounced: Unmanaged<AnyObject>?
    /// The hash bits of the announced keys of this build and of all that came before it in the list.
    @exclusivity(unchecked) var announcedKeys: UInt64 = 0
    @exclusivity(unchecked) var announcedAt: Unmanaged<Handle>?
    @exclusivity(unchecked) var isAnnounced = false
    /// The key under which the value will be kept there.
    @exclusivity(unchecked) var announcedKey: ValueKey?
    /// Whether a build ended between the search for the value and the announcement, and may have kept the value.
    @exclusivity(unchecked) var mayBeThere = false

    // MARK: Of the threads that found the announcement

    /// How many of them are still concerned with the build; it grows under the lock of that node.
    private let finders = Atomic<Int32>(0)

    init(_ key: ValueKey, _ decision: UInt64, asking: NodePointer, _ thread: ThreadState.Pointer, around: Around) {
        self.key = key
        self.decision = decision
        self.asking = asking
        self.thread = thread
        self.around = around
        nestedKeys = key.base.hashBit | (around.outer?.nestedKeys ?? 0) | (around.within?.nestedKeys ?? 0)
    }

    /// Prepares a build that is over, and that nothing else refers to, for the next run.
    func reuse(_ key: ValueKey, _ decision: UInt64, asking: NodePointer, _ thread: ThreadState.Pointer, around: Around)
    {
        self.key = key
        self.decision = decision
        self.asking = asking
        self.thread = thread
        self.around = around
        nestedKeys = key.base.hashBit | (around.outer?.nestedKeys ?? 0) | (around.within?.nestedKeys ?? 0)
        mayBeThere = false
        shared.isOver = false
        shared.isPlaced = false
        shared.state = BuildState()
    }

    deinit {
        assert(!isAnnounced, "the list of announced builds does not own them")
        anchor?.release()
    }

    /// Takes the anchor for the run, to be given back; the caller keeps the builder's scope alive.
    func takeAnchor(for view: Unmanaged<EnvironmentScope>) -> Unmanaged<Anchor> {
        guard let known = anchor.take() else { return .passRetained(Anchor(lentBy: view, nil)) }
        known._withUnsafeGuaranteedRef { $0.reuse(for: view, nil) }
        return known
    }

    func giveBack(_ used: Unmanaged<Anchor>) {
        if used.isUniquelyReferenced {
            anchor = used
        } else {
            // A task or a closure still refers to it.
            used._withUnsafeGuaranteedRef { $0.becomeOwner() }
            used.release()
        }
    }

    /// Whether the builder runs on the thread, so that the asking scope is alive.
    @inline(__always)
    func isRunning(on thread: ThreadState.Pointer) -> Bool { self.thread == thread && isBuilding }

    var outer: Build? { onAnyThread { around.outer } }
    /// The build that its read was for besides; see `Reading.within`.
    var within: Build? { onAnyThread { around.within } }

    @inline(__always)
    private func onAnyThread(_ read: () -> Build?) -> Build? {
        if thread == ThreadState.current { return read() }
        return withShared { _ in
            defer { finishRetaining() }
            return read()
        }
    }

    /// `outer`, without retaining it, for the building thread.
    @inline(__always)
    var outerOnThread: Unmanaged<Build>? { around.outer.map { .passUnretained($0) } }

    // MARK: Recording

    /// Records an input, and wakes waiting threads to check whether they see the same one.
    @inline(__always)
    func record(_ input: Input, mask: UInt64 = 0, isPinned: Bool = false) {
        let hasWaiting = withShared { shared -> Bool in
            // After the value was kept, an input would only reach the builds around this one.
            guard isBuilding(shared), shared.inputs.add(input, mask, isPinned) else {  // fault: late-input
                input.place?.release()
                return false
            }
            return !shared.waiting.isEmpty  // fault: input-wakes
        }
        if hasWaiting { wakeWaiting() }
    }

    /// Wakes waiting threads, to look again whether they need the build.
    @inline(never)
    func wakeWaiting() {
        let signals = withShared { shared -> [Signal] in
            defer { shared.waiting = [] }
            return shared.waiting
        }
        for signal in signals { signal.set() }
    }

    /// Adds a cleanup for the future keeper; false once the build is over.
    func addCleanup(_ cleanup: @escaping Closing.Cleanup) -> Bool {
        withShared { shared in
            if !shared.isOver { shared.cleanups.append(cleanup) }  // fault: builder-cleanup
            return !shared.isOver
        }
    }

    // MARK: What becomes of it

    /// Records what matters once the builder ends.
    func note(_ event: BuildState.Event) { withShared { shared in _ = shared.state.handle(event) } }

    /// Hands the cleanups of a value that is kept nowhere on to the build that uses the value, and that may be kept
    /// further out than the asking scope of both.
    func handOnCleanups(to user: Build?) {
        guard let user, user.asking == asking, !user.isOfObservers else { return }  // fault: cleanups-handed-on
        let cleanups = withShared { $0.takeCleanups() }
        // The user may be over, if another thread reads.
        for cleanup in cleanups where !user.addCleanup(cleanup) { _ = addCleanup(cleanup) }
    }

    /// Ends the build if it has no cleanups and no children of its scope; otherwise returns false.
    ///
    /// The caller holds no line.
    func endAlone(_ error: ScopeError?) -> Bool {
        var around: Around = (nil, nil)
        let waiting = withShared { shared -> [Signal]? in
            // Children of the builder's scope need a scope to lead to afterwards.
            guard shared.childLink == nil, shared.cleanups.isEmpty else { return nil }
            return end(&shared, error, &around)
        }
        guard let waiting else { return false }
        for signal in waiting { signal.set() }
        return true
    }

    /// Ends the build where its scope may be used on, and registers its cleanups with the keeper, or with the asking scope if
    /// the value is not kept; the announcement is withdrawn.
    func endWithScope(_ error: ScopeError?, in node: NodePointer) {
        let asking = Links.handle(of: node, Lines.ofThread()).takeUnretainedValue()
        var around: Around = (nil, nil)
        let (waiting, cleanups) = withShared { shared in
            if shared.standIn == nil { shared.standIn = asking }
            return (end(&shared, error, &around), shared.takeCleanups())
        }
        for signal in waiting { signal.set() }
        if !cleanups.isEmpty { standing?.scope.addCleanups(cleanups) }
    }

    /// Ends the build under the lock; `around` gets those that needed it, to be released without the lock.
    @inline(__always)
    private func end(_ shared: inout Shared, _ error: ScopeError?, _ around: inout Around) -> [Signal] {
        swap(&around, &self.around)  // fault: ended
        shared.isOver = true
        if finders.load(ordering: .relaxed) > 0 { shared.error = error }  // fault: error-held
        defer { if !shared.waiting.isEmpty { shared.waiting = [] } }
        return shared.waiting
    }

    /// Empties the build, so that it can be used again; nothing else refers to it.
    func clear() {
        lock.synchronize()
        shared.inputs.removeAll()  // fault: spare-inputs
        spareCount = 0
        if !shared.cycles.isEmpty { shared.cycles = [] }
        assert(shared.error == nil, "a thread that found the build has not left it")
        guard shared.standIn != nil || shared.childLink != nil else { return }
        shared.standIn = nil  // fault: spare-stand-in
        shared.childLink = nil
    }

    // MARK: Waiting

    /// Counts a thread that found the announcement; the caller holds the lock of the node where that is.
    func noteFound() { finders.wrappingAdd(1, ordering: .relaxed) }

    /// Ends what `noteFound` began; the last thread releases the error.
    func noteLeft() {
        guard finders.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        _ = withShared { $0.error.take() }  // fault: error-left
    }

    /// Registers a signal that is set when the build is over, when it records an input, and at a change where it is announced.
    func notify(_ signal: Signal) -> Announcing.Outcome? {
        withShared { shared in
            if shared.isOver { return .over(shared.error) }
            shared.waiting.append(signal)
            return nil
        }
    }
}
