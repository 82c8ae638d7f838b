import Synchronization

/// One run of one builder: it collects its inputs, on its own thread, and other threads wait for its end.
///
/// A build that nothing else refers to is used again for the next one on its thread.
final class Build: @unchecked Sendable {
    // Sendable because other threads use only what the locks guard.

    // MARK: What is built

    @exclusivity(unchecked) private(set) var plan: Plan
    var key: ValueKey { plan.read.key }
    /// The version of the decision that is carried out.
    var decision: UInt64 { plan.look.version }
    /// The node of the asking scope.
    var asking: NodePointer { plan.read.node }
    /// The state of the building thread.
    var thread: ThreadState.Pointer { plan.read.thread }
    var threadIdentity: UInt { Blocking.identity(of: thread) }
    /// The builder, kept until the build is over; nil for the key's own.
    @exclusivity(unchecked) private(set) var provider: Provider?
    /// Its place; nil for the key's own, and where one of several that were given may run.
    var place: BuilderPlace? { provider?.onlyPlace }

    // MARK: Of the building thread, and after the end of whoever waits

    @exclusivity(unchecked) var run = Run()
    /// The next spare build of the thread, owned.
    @exclusivity(unchecked) var nextSpare: Borrowed<Build>?
    /// Tells the runs of one object from each other.
    @exclusivity(unchecked) private(set) var runNumber: UInt64 = 0
    /// The anchor of the run, owned while it lies here.
    @exclusivity(unchecked) private var anchor: Borrowed<Anchor>?
    /// Whether a task or a closure still has the anchor, or a deferred value the build.
    @exclusivity(unchecked) var isOutlived = false

    /// Emptied after each run, so that its memory is used again.
    @exclusivity(unchecked) var inputs = InputSet()
    /// The cleanups, and the values with cleanups that it has read; made when there are any, and used again as that.
    @exclusivity(unchecked) var resource: Resource?

    /// What one run has, replaced as a whole when it is over.
    struct Run {
        /// The build around this one on the thread.
        fileprivate(set) var outer: Borrowed<Build>?
        /// The hash bits of the keys of this build and those around it.
        fileprivate(set) var nestedKeys: UInt64 = 0
        /// The bits of the keys of the inputs; `Mask.pinned` if the value is for the asking scope alone.
        var mask: UInt64 = 0
        /// Whether the builder has registered cleanups, wherever they are now.
        var hasCleanups = false
        /// Whether it was given a value that is not kept, because what that was built from kept changing.
        var hasReadUnkept = false
        /// Whether nothing was known of what the builder reads.
        fileprivate(set) var isFirst = false
        /// Whether the run is the last one, so that it is seen whether all that it reads belongs to one moment.
        fileprivate(set) var isCareful = false
        fileprivate var isMixed = false
        /// What reads would have found when such a run began.
        fileprivate var inputsAtBegin: [Input]?
        /// Whether the last failure of a value that stays is among the inputs.
        var isFailureRecorded = false
        /// Which decoration threw in a run that has failed, by its index; -1 for what is decorated.
        var failedDecoration: Int32 = -1
        /// The cycle that the build is a part of; its builder may have swallowed that.
        var cycle: ScopeError?
        /// The error of the builder, for those who wait; set before the end.
        var failure: ScopeError?
    }

    // MARK: Of several threads

    private let announcedAt = Atomic(Int32.min)
    /// The level that those who wait know of, changed under its line; nil while it lies in no list.
    var announcedLevel: Int32? {
        get {
            let level = announcedAt.load(ordering: .relaxed)
            return level == .min ? nil : level
        }
        set { announcedAt.store(newValue ?? .min, ordering: .relaxed) }
    }
    /// Whether what the run had read so far has become the hint.
    @exclusivity(unchecked) var hasTaught = false
    /// The nodes that have let go of the value since it was announced; guarded by its line.
    @exclusivity(unchecked) var thrownAwayIn: [NodePointer] = []
    /// The line of the thread, which the object never leaves while it is used.
    let line: Int
    /// The build that was announced before this one by a thread of the line; guarded by that.
    @exclusivity(unchecked) var nextOnLine: Borrowed<Build>?
    // A change of a hint reads it on another thread.
    private let nearestKnown = Atomic(Int32.max)
    /// The level of the nearest scope that decided one of the inputs.
    var nearest: Int32 {
        get { nearestKnown.load(ordering: .relaxed) }
        set { nearestKnown.store(newValue, ordering: .relaxed) }
    }
    private let lock = SpinLock()
    @exclusivity(unchecked) private var shared = Shared()

    /// What is guarded by the lock.
    private struct Shared {
        var isOver = false
        var waiting: [Signal] = []
        /// When the run began, if somebody observes, or when another thread first waited for it.
        var since: Stopwatch?
        /// The scope that keeps the value, or else the asking one, for what is left behind.
        var keeper: Handle?
    }

    /// The caller holds a line.
    init(_ plan: Plan) {
        self.plan = plan
        line = plan.read.node.pointee.lines.ofThread()
        begin(plan)
    }

    /// The caller holds a line.
    func begin(_ plan: Plan) {
        self.plan = plan
        assert(provider == nil, "a builder is kept that is over")
        if let given = plan.look.provider { provider = given.object }
        run.outer = thread.pointee.activity.build
        run.nestedKeys = key.hashBit | (run.outer.map { $0.run.nestedKeys } ?? 0)
        let hint = plan.hint
        (run.isFirst, run.isCareful) = (hint == nil, thread.pointee.activity.patience.isOver)
        if run.isCareful { run.inputsAtBegin = hint?.with { $0.inputs(from: asking) } }
        runNumber &+= 1
        nearest = .max
        shared.isOver = false
        if plan.isObserved || shared.since != nil { shared.since = plan.isObserved ? Stopwatch() : nil }
    }

    deinit {
        assert(announcedLevel == nil, "the lists of announced builds do not own them")
        anchor?.release()
        nextSpare?.release()
    }

    // MARK: The moment of what is read; the caller holds a line

    /// Looks, before something more is recorded, whether all that was read so far belongs to this moment.
    @inline(__always)
    func checkMoment() { if run.isCareful { checkMomentOfAll() } }

    /// With the builds around this one, which are given what it reads.
    @inline(never)
    private func checkMomentOfAll() {
        if !run.isMixed { run.isMixed = Look.check(inputs.all, from: asking) == nil }
        run.outer?.with { $0.checkMoment() }
    }

    /// Whether there was a moment at which reads would have found all that it has read.
    ///
    /// It was that of the last read, of the begin, or that at which the one input was read that was another one before and may be
    /// another one now, while all others were what they are.
    var belongsToOneMoment: Bool {
        if !run.isMixed { return true }
        // An instance changes by what it was built from, which is here, or by a discard, which changes no value.
        let decisions = inputs.all.filter { $0.past != Input.instance || ValueKey.at($0.key).role != nil }
        let others = decisions.filter { run.inputsAtBegin?.contains($0) != true }
        if others.isEmpty { return true }
        let lasting = decisions.filter { !others.contains($0) }
        return others.count == 1 && lasting.withUnsafeBufferPointer { Look.check($0, from: asking) } != nil
    }

    // MARK: Running

    /// Calls the builder; no lock is held.
    func call(_ body: (ScopeReader) throws -> Void) throws {
        assert(ThreadState.isFree, "a builder is called under a lock")
        let mine = Borrowed(self)
        let (thread, around) = (thread, thread.pointee.activity.build)
        let used = anchor.take() ?? .retaining(Anchor(of: mine))
        thread.pointee.activity.build = mine
        defer {
            thread.pointee.activity.build = around
            if used.isUniquelyReferenced {
                anchor = used
            } else {
                // A task or a closure still refers to it.
                isOutlived = true
                used.with { $0.becomeOwner() }
                used.release()
            }
        }
        try used.with { used in
            try Anchor.taskLocal.withValue(Anchor.InForce(used)) { try body(ScopeReader(self, runNumber)) }
        }
    }

    /// Whether the builder runs on this thread.
    var isOnThisThread: Bool { Self.onThisThread { $0 === self } != nil }

    /// The innermost build of this thread that meets a condition.
    static func onThisThread(_ condition: (Build) -> Bool) -> Build? {
        var at = ThreadState.current.pointee.activity.build
        while let build = at {
            let (isFound, next) = build.with { (condition($0), $0.run.outer) }
            if isFound { return build.object }
            at = next
        }
        return nil
    }

    /// Calls a function with the builds of this thread, innermost first.
    static func forEachOnThisThread(_ body: (Build) -> Void) {
        _ = onThisThread {
            body($0)
            return false
        }
    }

    // MARK: Ending and waiting

    /// Ends the build, which is no longer announced.
    func end(keeper: Handle?) {
        provider = nil
        lock.withLock {
            shared.isOver = true
            if keeper != nil { shared.keeper = keeper }
        }
        wake()
    }

    /// Makes waiting threads look again whether they need the build, which is over, or whose level has changed.
    func wake() {
        let signals = lock.withLock { () -> [Signal] in
            defer { shared.waiting = [] }
            return shared.waiting
        }
        for signal in signals { signal.set() }
    }

    var since: Stopwatch? { lock.withLock { shared.since } }

    var isOver: Bool { lock.withLock { shared.isOver } }

    /// A signal that is set when the build is over, or its level changes; nil if it is over already.
    func signal() -> Signal? {
        let signal = Signal()
        return lock.withLock {
            if shared.isOver { return nil }
            shared.waiting.append(signal)
            if shared.since == nil { shared.since = Stopwatch() }
            return signal
        }
    }

    /// The asking scope until the build is over, and then the one that keeps the value; nil if that is gone.
    var scopeNow: EnvironmentScope? {
        let (asking, keeper) = lock.withLock { () -> (EnvironmentScope?, Handle?) in
            // The building thread keeps the asking scope alive until the build is over.
            shared.isOver ? (nil, shared.keeper) : (self.asking.withScope { $0 }, nil)
        }
        return asking ?? keeper?.aliveScope
    }

    /// Orders what another thread has read of the build before its next use, which the count of references does not show to
    /// the thread sanitizer.
    func finishReading() { lock.withLock {} }

    // MARK: What a change has thrown away; the caller holds the line of the building thread

    /// Lets a node not keep the value.
    func throwAway(in keeper: NodePointer) { if !thrownAwayIn.contains(keeper) { thrownAwayIn.append(keeper) } }

    func isThrownAway(in keeper: NodePointer) -> Bool { !thrownAwayIn.isEmpty && thrownAwayIn.contains(keeper) }

    /// Empties the build, so that it can be used again; nothing else refers to it.
    func clear() {
        lock.synchronize()
        inputs.removeAll()
        assert(resource?.hasCleanups != true && resource?.uses.isEmpty != false, "cleanups are lost")
        assert(!isOutlived && shared.keeper == nil, "something still refers to it")
        run = Run()
        if provider != nil { provider = nil }
        hasTaught = false
        if !thrownAwayIn.isEmpty { thrownAwayIn = [] }
    }
}
