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
    /// Kept only in debug builds, for assertions.
    var locks = Locks()

    typealias Pointer = UnsafeMutablePointer<ThreadState>

    /// Runs code that is no part of what the thread does.
    @inline(__always)
    static func aside(isCleaning: Bool = false, _ body: () -> Void) {
        let thread = current
        var other = Activity(isCleaning: isCleaning)
        // Moved, because a copy costs two calls.
        swap(&thread.pointee.activity, &other)
        body()
        swap(&thread.pointee.activity, &other)
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
    static var held: UInt64 { current.pointee.locks.lines }

    /// Whether the calling thread holds no lock, so that user code may run.
    static var isFree: Bool { current.pointee.locks == Locks() }

    /// The locks that a thread holds, by kind; what takes one is false where that breaks the order, and what releases one where that
    /// is not held.
    struct Locks: Equatable {
        fileprivate var lines: UInt64 = 0
        private var mutexes = 0
        private var hasLeaf = false

        /// None may be taken that is held, or comes before one that is.
        mutating func take(line: UInt64) -> Bool {
            defer { lines |= line }
            return lines < line && !hasLeaf
        }

        mutating func release(line: UInt64) -> Bool {
            defer { lines &= ~line }
            return lines & line != 0
        }

        mutating func takeMutex() -> Bool {
            mutexes += 1
            return lines == 0 && !hasLeaf
        }

        mutating func releaseMutex() -> Bool {
            mutexes -= 1
            return mutexes >= 0
        }

        mutating func takeLeaf() -> Bool {
            defer { hasLeaf = true }
            return !hasLeaf
        }

        mutating func releaseLeaf() -> Bool {
            defer { hasLeaf = false }
            return hasLeaf
        }
    }
}
