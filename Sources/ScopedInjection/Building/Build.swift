import Synchronization

/// One run of one builder: it collects its inputs, on its own thread, and other threads wait for its end.
///
/// A build that nothing else refers to is used again for the next one on its thread.
final class Build: @unchecked Sendable {
    // Sendable because other threads use only what the locks guard.

    // MARK: Of the building thread

    /// The key of the value that is being built.
    @exclusivity(unchecked) private(set) var key: ValueKey
    /// The version of the decision that is carried out.
    @exclusivity(unchecked) private(set) var decision: UInt64
    /// The node of the asking scope.
    @exclusivity(unchecked) private(set) var asking: NodePointer
    /// The build around this one on the thread.
    @exclusivity(unchecked) private(set) var outer: Unmanaged<Build>?
    /// The hash bits of the keys of this build and those around it.
    @exclusivity(unchecked) private(set) var nestedKeys: UInt64 = 0
    /// Tells the runs of one object from each other.
    @exclusivity(unchecked) private(set) var run: UInt64 = 0

    @exclusivity(unchecked) var inputs = InputSet()
    /// The bits of the keys of the inputs; `Mask.pinned` if the value is for the asking scope alone.
    @exclusivity(unchecked) var mask: UInt64 = 0
    /// The level of the nearest scope that decided one of the inputs.
    @exclusivity(unchecked) private(set) var nearest = Int32.max
    @exclusivity(unchecked) private(set) var cleanups: [Cleanup.Action] = []
    /// Kept apart, because to ask the array would retain it at each build.
    @exclusivity(unchecked) private(set) var hasCleanups = false
    /// The cycle that the build is a part of; its builder may have swallowed that.
    @exclusivity(unchecked) var cycle: ScopeError?
    /// The error of the builder, for those who wait; set before the end.
    @exclusivity(unchecked) var failure: ScopeError?

    /// The anchor of the run, owned while it lies here.
    @exclusivity(unchecked) private var anchor: Unmanaged<Anchor>?
    /// Whether a task or a closure still has the anchor.
    @exclusivity(unchecked) private(set) var isLeftBehind = false
    /// The level where it is announced.
    @exclusivity(unchecked) var place: Int32 = 0
    /// The builder that a scope was given, kept by the plan; nil for the key's own.
    @exclusivity(unchecked) var provider: Unmanaged<Provider>?

    // MARK: Of the node where it is announced, under its lock

    @exclusivity(unchecked) var nextAnnounced: Unmanaged<AnyObject>?
    /// The hash bits of the keys of this build and of all that came before it in the list, or had come.
    @exclusivity(unchecked) var announcedKeys: UInt64 = 0
    /// The handle of that node; nil for the asking one.
    @exclusivity(unchecked) var announcedAt: Unmanaged<Handle>?
    @exclusivity(unchecked) var isAnnounced = false

    // MARK: Of any thread

    private let lock = SpinLock()
    @exclusivity(unchecked) private var shared = Shared()
    /// What the thread of this build waits for, under the lock of `Waiting`.
    @exclusivity(unchecked) var blockedOn: Unmanaged<Build>?

    private struct Shared {
        var isOver = false
        var waiting: [Signal] = []
        /// The address of the node where it is announced.
        var place: NodePointer?
        /// The scope that keeps the value, or else the asking one, for what is left behind.
        var keeper: Handle?
    }

    init(_ key: ValueKey, _ decision: Decision, _ asking: NodePointer, _ thread: ThreadState.Pointer) {
        (self.key, self.decision, self.asking) = (key, decision.version, asking)
        begin(key, decision, asking, thread)
    }

    func begin(_ key: ValueKey, _ decision: Decision, _ asking: NodePointer, _ thread: ThreadState.Pointer) {
        self.key = key
        self.decision = decision.version
        self.asking = asking
        outer = thread.pointee.build.map { .fromOpaque($0.toOpaque()) }
        nestedKeys = key.hashBit | (outer.map { $0._withUnsafeGuaranteedRef { $0.nestedKeys } } ?? 0)
        run &+= 1
        // What is built from a scoped value is for the asking scope alone, too.
        (mask, nearest) = key.lifetime == .scoped ? (Mask.pinned, 0) : (0, .max)
        shared.isOver = false
    }

    deinit {
        assert(!isAnnounced, "the list of announced builds does not own them")
        anchor?.release()
    }

    // MARK: Running

    /// Calls the builder; no lock is held.
    func call<Value>(_ thread: ThreadState.Pointer, _ body: (ScopeReader) throws -> Value) throws -> Value {
        assert(ThreadState.isFree, "a builder is called under a lock")
        let mine = Unmanaged<AnyObject>.passUnretained(self)
        let around = thread.pointee.build
        let used = anchor.take() ?? .passRetained(Anchor(lentBy: mine, nil))
        thread.pointee.build = mine
        defer {
            thread.pointee.build = around
            if used.isUniquelyReferenced {
                anchor = used
            } else {
                // A task or a closure still refers to it.
                isLeftBehind = true
                used._withUnsafeGuaranteedRef { $0.becomeOwner() }
                used.release()
            }
        }
        return try used._withUnsafeGuaranteedRef { used in
            try Anchor.$current.withValue(used) { try body(ScopeReader(self, run)) }
        }
    }

    /// Whether the builder runs on this thread.
    var isOnThisThread: Bool { Self.onThisThread { $0 === self } != nil }

    /// The innermost build of this thread that meets a condition.
    static func onThisThread(_ condition: (Build) -> Bool) -> Build? {
        var at: Unmanaged<Build>? = ThreadState.current.pointee.build.map { .fromOpaque($0.toOpaque()) }
        while let build = at {
            let (isFound, next) = build._withUnsafeGuaranteedRef { (condition($0), $0.outer) }
            if isFound { return build.takeUnretainedValue() }
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

    // MARK: Recording

    /// Records what was found in a cell; the caller holds the line under which that was found.
    @inline(__always)
    func record(_ cell: Cell, _ key: ValueKey, _ decision: UInt64, past: UInt64 = 0, level: Int32) {
        if let kept = cell.kept {
            inputs.add(kept.inputs, hashes: kept.pointee.hashes)
            mask |= kept.pointee.mask.load(ordering: .relaxed)
            if kept.pointee.hasCleanups { record(instance: key, cell.version) }
        } else {
            cell.noteInput()
        }
        record(key, decision, past: past, level: level)
    }

    /// Records a kept value with cleanups.
    func record(instance key: ValueKey, _ version: UInt64) {
        inputs.add(Input(key: key.address, version: version, past: Input.instance))
    }

    /// Records a constant that is the value's own default.
    @inline(__always)
    func record(constant key: ValueKey) {
        record(key, Input.byDefault, level: .max)
        if !key.isSafeInTests { record(policy: Decision(version: Input.byDefault, level: .max)) }
    }

    func record(policy: Decision) { record(DefaultsPolicy.key.key, policy.version, level: policy.nearest) }

    /// Records a decision, and the level of what was found or of the scope that decided.
    @inline(__always)
    func record(_ key: ValueKey, _ version: UInt64, past: UInt64 = 0, level: Int32) {
        inputs.add(Input(key: key.address, version: version, past: past))
        mask |= key.bit
        nearest = min(nearest, level)
    }

    /// Records all that another build of this thread was built from.
    func record(all other: Build) { record(all: other, nearest: other.nearest, mask: other.mask) }

    /// The same of another thread's build, whose inputs this one's asking scope finds as given.
    func record(all other: Build, nearest level: Int32, mask others: UInt64) {
        inputs.add(other.inputs.all, hashes: other.inputs.hashes)
        mask |= others
        nearest = min(nearest, level)
    }

    func add(_ more: [Cleanup.Action]) {
        cleanups += more
        hasCleanups = true
    }

    /// Keeps the value for the asking scope alone, because the reason of an error is there and no decision.
    func pin() { (mask, nearest) = (mask | Mask.pinned, 0) }

    // MARK: Ending and waiting

    func notePlace(_ node: NodePointer?) { lock.withLock { shared.place = node } }

    /// Ends the build, which is no longer announced.
    func end(keeper: Handle?) {
        let signals = lock.withLock { () -> [Signal]? in
            shared.isOver = true
            if keeper != nil { shared.keeper = keeper }
            return takeWaiting()
        }
        if let signals { for signal in signals { signal.set() } }
    }

    /// Those who wait, if anybody does; the caller holds the lock.
    @inline(__always)
    private func takeWaiting() -> [Signal]? {
        if shared.waiting.isEmpty { return nil }
        defer { shared.waiting = [] }
        return shared.waiting
    }

    /// Wakes waiting threads, to look again whether they need the build.
    func wakeWaiting() {
        if let signals = lock.withLock({ takeWaiting() }) { for signal in signals { signal.set() } }
    }

    enum State {
        case over(keeper: Handle?)
        case announced(NodePointer?)
    }

    /// How far the build is; unless it is over, the signal is set when that changes.
    func state(_ signal: Signal) -> State {
        lock.withLock {
            if shared.isOver { return .over(keeper: shared.keeper) }
            shared.waiting.append(signal)
            return .announced(shared.place)
        }
    }

    /// Orders what another thread has read of the build before its next use, which the count of references does not show to
    /// the thread sanitizer.
    func finishReading() { lock.withLock {} }

    /// Empties the build, so that it can be used again; nothing else refers to it.
    func clear() {
        lock.synchronize()
        inputs.removeAll()
        if hasCleanups { (cleanups, hasCleanups) = ([], false) }
        if cycle != nil { cycle = nil }
        if failure != nil { failure = nil }
        if isLeftBehind { (isLeftBehind, shared.keeper) = (false, nil) }
    }
}
