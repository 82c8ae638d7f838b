import Synchronization

/// The state of the calling thread: what it does, what it has left to be used again, and which locks it holds.
struct ThreadState {
    /// What the thread does; whoever changes a part of it puts back what was there.
    var activity = Activity()

    struct Activity {
        /// The innermost build whose builder runs on this thread; the run keeps it alive.
        var build: Borrowed<Build>?
        /// Whether the thread evaluates the constant of a declaration, which is no part of that build.
        var isDeclaring = false
        /// Whether the thread reads a value to set a part of it.
        var isChangingPart = false
        /// Whether the thread validates, so that no value that stays is begun.
        var beginsNothing = false
        /// How long runs of builders may be thrown away, because inputs have changed, for the outermost read.
        var patience = Patience()
        /// The place of the reference that reads now, for texts; nil for a read without one.
        var reference: SourcePlace?
        /// Whether a cleanup without `await` runs, or code that works for an awaited one looks for a value.
        var isCleaning = false
    }

    /// The node for whose closing the thread starts a task, which sets it back if it ends at once.
    var starting: UnsafeRawPointer?
    /// Whether an observer runs on this thread.
    var isObserving = false
    /// Whether a look has met something that only cleanups are given.
    var hasMetEnding = false
    /// Anchors and builds that nothing else refers to, for the next request on this thread; two, for one with a child.
    var spareAnchors: (Anchor?, Anchor?)
    /// The first of so many builds that nothing else refers to, which owns the next one; owned.
    var spareBuild: Borrowed<Build>?
    var spareCount = 0
    /// For values that are being made.
    var scratch = Scratch()
    /// The locks that the thread holds, by kind; kept only in debug builds, for assertions.
    private var heldLines: UInt64 = 0
    private var heldMutexes: Int32 = 0
    private var holdsLeaf = false

    typealias Pointer = UnsafeMutablePointer<ThreadState>

    /// Runs code that is no part of what the thread does.
    @inline(__always)
    static func aside(isCleaning: Bool = false, _ body: () -> Void) {
        let thread = current
        let around = thread.pointee.activity
        thread.pointee.activity = Activity(isCleaning: isCleaning)
        defer { thread.pointee.activity = around }
        body()
    }

    /// The state of the calling thread.
    @inline(__always)
    static var current: Pointer {
        if let key = knownKey, let state = ThreadKey.address(of: key) {
            return state.assumingMemoryBound(to: ThreadState.self)
        }
        return makeState()
    }

    /// The word of the thread-specific key, or 0 before there is one; a lazy constant would be checked at each read.
    private static let word = Atomic<UInt>(0)

    @inline(__always)
    private static var knownKey: ThreadKey.Number? { ThreadKey.key(of: word.load(ordering: .acquiring)) }

    @inline(never)
    private static func makeState() -> Pointer {
        let state = Pointer.allocate(capacity: 1)
        state.initialize(to: ThreadState())
        ThreadKey.set(state, of: knownKey ?? makeKey())
        return state
    }

    private static func makeKey() -> ThreadKey.Number {
        let key = ThreadKey.make { state in
            // Darwin passes the pointer as non-optional.
            let address: UnsafeMutableRawPointer? = state
            guard let state = address?.assumingMemoryBound(to: ThreadState.self) else { return }
            state.pointee.spareBuild?.release()
            state.pointee.scratch.free()
            state.deinitialize(count: 1)
            state.deallocate()
        }
        let (isFirst, known) = word.compareExchange(
            expected: 0,
            desired: ThreadKey.word(of: key),
            ordering: .acquiringAndReleasing
        )
        if isFirst { return key }
        ThreadKey.delete(key)
        return ThreadKey.key(of: known) ?? key
    }

    /// Calls a function that looks for values as a cleanup does.
    static func asCleanup<Result>(_ body: () -> Result) -> Result {
        let state = current
        let around = (state.pointee.activity.isCleaning, state.pointee.hasMetEnding)
        state.pointee.activity.isCleaning = true
        defer { (state.pointee.activity.isCleaning, state.pointee.hasMetEnding) = around }
        return body()
    }

    // MARK: For assertions in debug builds

    /// The lines that the calling thread holds.
    static var held: UInt64 { current.pointee.heldLines }

    /// Whether the calling thread holds no lock, so that user code may run.
    static var isFree: Bool {
        let state = current.pointee
        return state.heldLines == 0 && state.heldMutexes == 0 && !state.holdsLeaf
    }

    /// Records that a line is taken; false if the thread holds that line, a later one, or a leaf.
    static func noteHeld(_ line: UInt64) -> Bool {
        let state = current
        guard state.pointee.heldLines < line, !state.pointee.holdsLeaf else { return false }
        state.pointee.heldLines |= line
        return true
    }

    static func noteReleased(_ line: UInt64) -> Bool {
        let state = current
        guard state.pointee.heldLines & line != 0 else { return false }
        state.pointee.heldLines &= ~line
        return true
    }

    /// Records that a mutex is taken; false if the thread holds a line or a leaf.
    static func noteMutexHeld() -> Bool {
        let state = current
        guard state.pointee.heldLines == 0, !state.pointee.holdsLeaf else { return false }
        state.pointee.heldMutexes += 1
        return true
    }

    static func noteMutexReleased() -> Bool {
        let state = current
        state.pointee.heldMutexes -= 1
        return state.pointee.heldMutexes >= 0
    }

    /// Records that a leaf is taken; false if the thread holds another one.
    static func noteLeafHeld() -> Bool {
        let state = current
        defer { state.pointee.holdsLeaf = true }
        return !state.pointee.holdsLeaf
    }

    static func noteLeafReleased() -> Bool {
        let state = current
        defer { state.pointee.holdsLeaf = false }
        return state.pointee.holdsLeaf
    }
}
