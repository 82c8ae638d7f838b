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

    // MARK: Of any thread, under the lock

    private let lock = SpinLock()
    @exclusivity(unchecked) private var isOver = false
    @exclusivity(unchecked) private var state = BuildState()
    @exclusivity(unchecked) private var inputs = InputList()
    @exclusivity(unchecked) private var waiting: [Signal] = []
    @exclusivity(unchecked) private var cleanups: [Closing.Cleanup] = []
    /// Why there is no value, once the build is over.
    @exclusivity(unchecked) private var error: ScopeError?
    /// The cycles that the value was found to be part of.
    @exclusivity(unchecked) private var cycles: [Cycle] = []
    /// What the builder's scope stands for once the build is over; or the handle that its children have.
    @exclusivity(unchecked) private var standIn: Handle?
    @exclusivity(unchecked) private var childLink: Handle?

    // MARK: Of the node where the build is announced, under its lock

    @exclusivity(unchecked) var nextAnnounced: Unmanaged<AnyObject>?
    @exclusivity(unchecked) var announcedAt: Unmanaged<Handle>?
    @exclusivity(unchecked) var isAnnounced = false

    init(_ key: ValueKey, _ decision: UInt64, asking: NodePointer, _ thread: ThreadState.Pointer, outer: Build?) {
        self.key = key
        self.decision = decision
        self.asking = asking
        self.thread = thread
        self.outer = outer
    }

    deinit { inputs.destroy() }

    /// Makes a build that is over, and that nobody else knows of, the next one.
    func reuse(_ key: ValueKey, _ decision: UInt64, asking: NodePointer, _ thread: ThreadState.Pointer, outer: Build?) {
        self.key = key
        self.decision = decision
        self.asking = asking
        self.thread = thread
        self.outer = outer
        isOver = false
        state = BuildState()
    }

    /// Whether the builder runs on the thread, so that the asking scope is alive.
    @inline(__always)
    func isRunning(on thread: ThreadState.Pointer) -> Bool { self.thread == thread && isBuilding }

    var isBuilding: Bool { lock.withLock { !isOver } }

    // MARK: Recording

    /// Records an input, and lets those who wait find out whether they still see the same ones.
    @inline(__always)
    func record(_ input: Input, mask: UInt64 = 0, isPinned: Bool = false) {
        let signals = lock.withLock { () -> [Signal] in
            guard !isOver, inputs.add(input) else {
                input.place?.release()
                return []
            }
            if input.place == nil {
                inputs.nearest = min(inputs.nearest, input.level)
                inputs.mask |= mask
            }
            if isPinned { inputs.isPinned = true }
            if waiting.isEmpty { return [] }
            defer { waiting = [] }
            return waiting
        }
        for signal in signals { signal.set() }
    }

    /// Works with the inputs that were recorded so far, while nobody adds any.
    func withInputs<Result>(_ body: (borrowing InputList) -> Result) -> Result { lock.withLock { body(inputs) } }

    /// Lets a kept value take the inputs over.
    ///
    /// - Parameter isCopy: Whether they are needed here too, because who reads the value cannot record the value itself.
    func handOverInputs<Result>(isCopy: Bool, _ body: (UnsafeBufferPointer<Input>) -> Result) -> Result {
        lock.withLock {
            defer { if isCopy { inputs.retainPlaces() } else { inputs.handOver() } }
            return body(inputs.all)
        }
    }

    /// Adds a cleanup for whichever scope will keep the value; false once the build is over.
    func addCleanup(_ cleanup: @escaping Closing.Cleanup) -> Bool {
        lock.withLock {
            guard !isOver else { return false }
            cleanups.append(cleanup)
            return true
        }
    }

    func takeCleanups() -> [Closing.Cleanup] {
        lock.withLock {
            guard !cleanups.isEmpty else { return [] }
            defer { cleanups = [] }
            return cleanups
        }
    }

    // MARK: What becomes of it

    /// Tells the build what happened, and gives what is to be done.
    func handle(_ event: BuildState.Event) -> BuildState.Action {
        lock.withLock {
            if event != .changedScope, cycles.contains(where: { !$0.isBroken }) { _ = state.handle(.metItself) }
            return state.handle(event)
        }
    }

    /// Marks the value as one that needs itself, as long as that is so.
    func noteCycle(_ cycle: Cycle) { lock.withLock { cycles.append(cycle) } }

    /// Gives the builds around this one another chance: it runs again, and may not need them any more.
    func breakCycles() { lock.withLock { for cycle in cycles { cycle.isBroken = true } } }

    var cycleError: ScopeError? { lock.withLock { cycles.first { !$0.isBroken }?.error } }

    /// Ends the build, and everybody's waiting for it.
    ///
    /// - Parameter standIn: What the builder's scope stands for from now on.
    func end(_ error: ScopeError?, standIn: Handle?) {
        let signals = lock.withLock { () -> [Signal] in
            isOver = true
            self.error = error
            self.standIn = standIn
            if waiting.isEmpty { return [] }
            defer { waiting = [] }
            return waiting
        }
        if let childLink {
            // Its children's parent is another scope now.
            let lines = Lines.shared
            lines.lock(.every)
            childLink.node = nil
            childLink.standIn = standIn
            lines.advanceEpoch()
            lines.unlock(.every)
        }
        for signal in signals { signal.set() }
    }

    /// Lets go of what the build was about, so that it can be used again; where nobody else knows of it.
    func clear() {
        inputs.removeAll()
        outer = nil
        error = nil
        if !cycles.isEmpty { cycles = [] }
        standIn = nil
        childLink = nil
    }

    // MARK: Waiting

    /// How a build looks to somebody who needs its value.
    enum Progress {
        case over(ScopeError?)
        case building
    }

    /// Has a signal set when the build is over, or has read something more.
    func notify(_ signal: Signal) -> Progress {
        lock.withLock {
            if isOver { return .over(error) }
            waiting.append(signal)
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
            let known = lock.withLock { () -> (isOver: Bool, handle: Handle?, scope: EnvironmentScope?) in
                isOver ? (true, standIn, nil) : (false, nil, asking.withScope { $0 })
            }
            if known.isOver { return known.handle }
            guard let node = known.scope?.node else { continue }
            return Links.handle(of: node, Lines.ofThread()).takeUnretainedValue()
        }
    }

    /// The build in progress on the thread that gave its scope's children a handle.
    static func running(on thread: ThreadState.Pointer, withChildrenBy link: Handle) -> Build? {
        thread.pointee.innermostBuild?.ancestry.first { build in
            build.isRunning(on: thread) && build.lock.withLock { build.childLink === link }
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
        return lock.withLock {
            if isOver || childLink != nil { return .passUnretained(childLink ?? made).retain() }
            childLink = made
            return .passUnretained(made).retain()
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

/// What a build has read so far.
struct InputList: ~Copyable {
    private var memory: UnsafeMutablePointer<Input>?
    private var capacity = 0
    private var count = 0
    /// Finds an input among many.
    private var known: Set<Identity> = []

    /// How far out the nearest of the inputs was decided.
    var nearest = Input.nowhere
    /// The bits of all that was read, at any remove.
    var mask: UInt64 = 0
    /// Whether only the asking scope can be given the value.
    var isPinned = false

    private struct Identity: Hashable {
        let key: UnsafeRawPointer
        let version: UInt64
        let past: UInt64
        let fact: UInt8
        let place: UnsafeMutableRawPointer?

        init(_ input: Input) {
            (key, version, past) = (input.key, input.version, input.past)
            fact = input.fact.rawValue
            place = input.place?.toOpaque()
        }
    }

    var all: UnsafeBufferPointer<Input> { UnsafeBufferPointer(start: memory, count: count) }

    /// Takes an input over; false where it is known, or tells nothing new.
    @inline(__always)
    mutating func add(_ input: Input) -> Bool {
        if count < 24 {
            for index in 0..<count where memory.unsafelyUnwrapped[index].isSame(as: input) { return false }
        } else if isKnown(input) {
            return false
        }
        if count == capacity { grow() }
        memory.unsafelyUnwrapped[count] = input
        count &+= 1
        return true
    }

    @inline(never)
    private mutating func isKnown(_ input: Input) -> Bool {
        if known.isEmpty { for input in all { known.insert(Identity(input)) } }
        return !known.insert(Identity(input)).inserted
    }

    @inline(never)
    private mutating func grow() {
        let fresh = UnsafeMutablePointer<Input>.allocate(capacity: max(8, capacity * 2))
        if let memory {
            fresh.moveInitialize(from: memory, count: count)
            memory.deallocate()
        }
        memory = fresh
        capacity = max(8, capacity * 2)
    }

    /// Forgets the inputs, which somebody else has taken over.
    mutating func handOver() { count = 0 }

    /// Keeps the inputs although somebody else has taken them over as well.
    func retainPlaces() { for input in all { _ = input.place?.retain() } }

    mutating func removeAll() {
        for input in all { input.place?.release() }
        count = 0
        if !known.isEmpty { known = [] }
        nearest = Input.nowhere
        mask = 0
        isPinned = false
    }

    mutating func destroy() {
        removeAll()
        memory?.deallocate()
        memory = nil
    }
}
