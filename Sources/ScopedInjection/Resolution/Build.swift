/// One run of one builder: what it reads is recorded here, and who needs the value waits here.
///
/// Reached through the scope that the builder is given, which stands for the asking scope as long as the builder runs and
/// for the one that keeps the value afterwards. Used again for the next build on the thread where nobody has kept it.
final class Build: @unchecked Sendable {
    // Sendable because what several threads use is guarded by the lock, and the rest belongs to the building thread.

    // MARK: Of the building thread, set before anybody else can know of the build

    /// The key of the value that is being built.
    @exclusivity(unchecked) private(set) var key: ValueKey
    /// The binding that is being built, so that another one is not mistaken for it.
    @exclusivity(unchecked) private(set) var decision = Input.byDefault
    /// The scope whose view of the inputs decides; valid while the build is in progress.
    @exclusivity(unchecked) private(set) var asking: NodePointer
    @exclusivity(unchecked) private(set) var thread: ThreadState.Pointer
    /// The build that needs this one.
    @exclusivity(unchecked) private(set) var outer: Build?

    /// What makes the builder's scope current; made for the first run, and kept for the next ones.
    @exclusivity(unchecked) private var anchor: Anchor?
    /// The next one of those that a thread has left.
    @exclusivity(unchecked) var nextSpare: Unmanaged<AnyObject>?

    // MARK: Of any thread, under the lock

    private let lock = SpinLock()
    @exclusivity(unchecked) private var shared = Shared()

    /// What several threads may use.
    struct Shared: ~Copyable {
        var isOver = false
        var state = BuildState()
        var inputs = InputList()
        var waiting: [Signal] = []
        var cleanups: [Closing.Cleanup] = []
        /// Why there is no value, once the build is over.
        var error: ScopeError?
        /// The cycles that the value was found to be part of.
        var cycles: [Cycle] = []
        /// What the builder's scope stands for once the build is over.
        var standIn: Handle?
        /// The handle that the children of the builder's scope have.
        var childLink: Handle?

        /// Tells the build what happened, and gives what is to be done.
        mutating func handle(_ event: BuildState.Event) -> BuildState.Action {
            if !cycles.isEmpty, cycles.contains(where: { !$0.isBroken }) { _ = state.handle(.metItself) }
            return state.handle(event)
        }
    }

    /// Works with what several threads may use; calls nobody, and lets go of nothing of the user's.
    @inline(__always)
    func withShared<Result: ~Copyable>(_ body: (inout Shared) -> Result) -> Result {
        lock.withLock { body(&shared) }  // fault: build-lock
    }

    // MARK: Of the node where the build is announced, under its lock

    @exclusivity(unchecked) var nextAnnounced: Unmanaged<AnyObject>?
    @exclusivity(unchecked) var announcedAt: Unmanaged<Handle>?
    @exclusivity(unchecked) var isAnnounced = false
    /// Whether a build was over between the search for the value and the announcement, and may have kept it.
    @exclusivity(unchecked) var mayBeThere = false

    init(_ key: ValueKey, _ decision: UInt64, asking: NodePointer, _ thread: ThreadState.Pointer, outer: Build?) {
        self.key = key
        self.decision = decision
        self.asking = asking
        self.thread = thread
        self.outer = outer
    }

    /// Makes a build that is over, and that nobody else knows of, the next one.
    func reuse(_ key: ValueKey, _ decision: UInt64, asking: NodePointer, _ thread: ThreadState.Pointer, outer: Build?) {
        self.key = key
        self.decision = decision
        self.asking = asking
        self.thread = thread
        self.outer = outer
        mayBeThere = false
        shared.isOver = false
        shared.state = BuildState()
    }

    /// The anchor to run the builder in, whose scope the caller keeps.
    func takeAnchor(for view: EnvironmentScope) -> Anchor {
        guard let known = anchor else { return Anchor(lentBy: .passUnretained(view), nil) }
        anchor = nil
        known.reuse(for: .passUnretained(view), nil)
        return known
    }

    /// Ends what was run in the anchor.
    func giveBack(_ used: consuming Anchor) {
        var used = consume used
        // Else a task or a closure that was left behind has it.
        if isKnownUniquelyReferenced(&used) { anchor = consume used } else { used.becomeOwner() }
    }

    /// Whether the builder runs on the thread, so that the asking scope is alive.
    @inline(__always)
    func isRunning(on thread: ThreadState.Pointer) -> Bool { self.thread == thread && isBuilding }

    var isBuilding: Bool { withShared { !$0.isOver } }

    // MARK: Recording

    /// Records an input, and lets those who wait find out whether they still see the same ones.
    @inline(__always)
    func record(_ input: Input, mask: UInt64 = 0, isPinned: Bool = false) {
        let hasWaiting = withShared { shared -> Bool in
            guard !shared.isOver, shared.inputs.add(input, mask, isPinned) else {
                input.place?.release()
                return false
            }
            return !shared.waiting.isEmpty  // fault: input-wakes
        }
        if hasWaiting { signal() }
    }

    @inline(never)
    private func signal() {
        let signals = withShared { shared -> [Signal] in
            defer { shared.waiting = [] }
            return shared.waiting
        }
        for signal in signals { signal.set() }
    }

    /// Adds a cleanup for whichever scope will keep the value; false once the build is over.
    func addCleanup(_ cleanup: @escaping Closing.Cleanup) -> Bool {
        withShared { shared in
            if !shared.isOver { shared.cleanups.append(cleanup) }  // fault: builder-cleanup
            return !shared.isOver
        }
    }

    // MARK: What becomes of it

    /// Marks the value as one that needs itself, as long as that is so.
    func noteCycle(_ cycle: Cycle) { withShared { $0.cycles.append(cycle) } }

    /// Gives the builds around this one another chance: it runs again, and may not need them any more.
    func breakCycles() {
        withShared { shared in
            for cycle in shared.cycles { cycle.isBroken = true }  // fault: cycle-void
        }
    }

    /// Notes that the builder itself has changed a scope.
    func noteChange() { withShared { shared in _ = shared.state.handle(.changedScope) } }

    var cycleError: ScopeError? { withShared { shared in shared.cycles.first { !$0.isBroken }?.error } }

    /// What its end leaves to be done.
    struct Ending: ~Copyable {
        fileprivate let signals: [Signal]
        fileprivate let childLink: Handle?
        let cleanups: [Closing.Cleanup]
    }

    /// Ends the build where nothing is left to be done but to wake who waits; under no line.
    func endAlone(_ error: ScopeError?) -> Bool {
        let waiting = withShared { shared -> [Signal]? in
            // Children of the builder's scope have to lead to something afterwards.
            guard shared.childLink == nil, shared.cleanups.isEmpty else { return nil }
            shared.isOver = true
            shared.error = error
            defer { if !shared.waiting.isEmpty { shared.waiting = [] } }
            return shared.waiting
        }
        guard let waiting else { return false }
        for signal in waiting { signal.set() }
        return true
    }

    /// Ends the build; what is given back has to be carried out under no line.
    ///
    /// - Parameter standIn: What the builder's scope stands for from now on.
    func end(_ error: ScopeError?, standIn: Handle?) -> Ending {
        withShared { shared in
            shared.isOver = true
            shared.error = error
            shared.standIn = standIn
            let ending = Ending(signals: shared.waiting, childLink: shared.childLink, cleanups: shared.cleanups)
            if !shared.waiting.isEmpty { shared.waiting = [] }
            if !shared.cleanups.isEmpty { shared.cleanups = [] }
            return ending
        }
    }

    /// Wakes who waits, and lets the children of the builder's scope lie below what that stands for now.
    func carryOut(_ ending: borrowing Ending, standIn: Handle?) {
        if let childLink = ending.childLink {
            let lines = Lines.shared
            lines.lock(.every)
            childLink.standIn = standIn
            lines.advanceEpoch()
            lines.unlock(.every)
        }
        for signal in ending.signals { signal.set() }
    }

    /// Lets go of what the build was about, so that it can be used again; where nobody else knows of it.
    func clear() {
        lock.synchronize()
        shared.inputs.removeAll()  // fault: spare-inputs
        outer = nil
        if !shared.cycles.isEmpty { shared.cycles = [] }
        guard shared.error != nil || shared.standIn != nil || shared.childLink != nil else { return }
        shared.error = nil  // fault: spare-error
        shared.standIn = nil  // fault: spare-stand-in
        shared.childLink = nil
    }

    // MARK: Waiting

    /// How a build looks to somebody who needs its value.
    enum Progress {
        case over(ScopeError?)
        case building
    }

    /// Has a signal set when the build is over, or has read something more.
    func notify(_ signal: Signal) -> Progress {
        withShared { shared in
            if shared.isOver { return .over(shared.error) }
            shared.waiting.append(signal)
            return .building
        }
    }

    // MARK: The scope that the builder is given

    /// The handle of what the builder's scope stands for, for one who does not build; nil where that is gone.
    ///
    /// Under no line. The asking scope is alive as long as the build is not over.
    func handleOfStandIn() -> Handle? {
        // The handle is made outside of the lock, but the scope must not go meanwhile.
        while true {
            let known = withShared { shared -> (isOver: Bool, handle: Handle?, scope: EnvironmentScope?) in
                shared.isOver ? (true, shared.standIn, nil) : (false, nil, asking.withScope { $0 })
            }
            if known.isOver { return known.handle }
            guard let node = known.scope?.node else { continue }
            return Links.handle(of: node, Lines.ofThread()).takeUnretainedValue()
        }
    }

    /// The build in progress on the thread that gave its scope's children a handle.
    static func running(on thread: ThreadState.Pointer, withChildrenBy link: Handle) -> Build? {
        thread.pointee.innermostBuild?.ancestry.first { build in
            build.isRunning(on: thread) && build.withShared { $0.childLink === link }
        }
    }

    /// The handle that children of the builder's scope have: it leads to what that stands for.
    var linkForChildren: Unmanaged<Handle> {
        let target = handleOfStandIn()
        let line = Lines.ofThread()
        let lines = Lines.shared
        lines.lock(line)
        let number = lines.nextVersion(line)
        lines.unlock(line)
        let made = Handle(.builder, of: nil, node: nil, name: nil, number: number, line: line)
        made.standIn = target
        return withShared { shared in
            if shared.isOver { return .passRetained(made) }
            let link = shared.childLink ?? made
            shared.childLink = link
            return .passRetained(link)
        }
    }
}

/// A cycle of builds that one thread runs, each within the one before; only that thread uses it.
final class Cycle {
    let error: ScopeError
    /// Whether one of the builds runs again, because what it read has changed.
    var isBroken = false

    init(_ error: ScopeError) { self.error = error }
}
