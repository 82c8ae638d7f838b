import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// What the library knows of the calling thread: which value it is building, and through which reference it reads.
struct ThreadState {
    /// The innermost build whose builder runs on this thread; kept alive by whoever runs it.
    var build: Unmanaged<AnyObject>?
    /// Greater than 0 while reads have to take notice of something on this thread: a build, an assignment by a path.
    var detours: Int32 = 0
    /// How many assignments by a path are in progress.
    var assignments: Int32 = 0
    /// The reference on whose behalf the thread reads, for error texts; kept alive by its read.
    var reference: Unmanaged<AnyObject>?
    /// The locks that the thread holds, by kind; kept in debug builds only, for assertions.
    private var heldLines: UInt64 = 0
    private var heldMutexes: Int32 = 0
    private var holdsLeaf = false

    typealias Pointer = UnsafeMutablePointer<ThreadState>

    /// The state of the calling thread.
    @inline(__always)
    static var current: Pointer {
        if let key = knownKey, let state = pthread_getspecific(key) {
            return state.assumingMemoryBound(to: ThreadState.self)
        }
        return makeState()
    }

    /// The key of the threads' states and one, 0 until there is one: a lazy constant would be asked for at each read.
    private static let keyAndOne = Atomic<UInt>(0)

    @inline(__always)
    private static var knownKey: pthread_key_t? {
        let known = keyAndOne.load(ordering: .acquiring)
        return known == 0 ? nil : pthread_key_t(truncatingIfNeeded: known &- 1)
    }

    @inline(never)
    private static func makeState() -> Pointer {
        let state = Pointer.allocate(capacity: 1)
        state.initialize(to: ThreadState())
        pthread_setspecific(knownKey ?? makeKey(), state)
        return state
    }

    private static func makeKey() -> pthread_key_t {
        var key = pthread_key_t()
        let failure = pthread_key_create(&key) { state in
            // Darwin passes the pointer as non-optional.
            let state: UnsafeMutableRawPointer? = state
            state?.deallocate()
        }
        precondition(failure == 0, "the process has no thread-specific keys left")
        let (isFirst, known) = keyAndOne.compareExchange(
            expected: 0,
            desired: UInt(key) + 1,
            ordering: .acquiringAndReleasing
        )
        if isFirst { return key }
        pthread_key_delete(key)
        return pthread_key_t(known - 1)
    }

    // MARK: For assertions, of debug builds only

    /// The lines the calling thread holds.
    static var held: UInt64 { current.pointee.heldLines }

    /// Whether the calling thread holds no lock of any kind, so that code of the user's may run.
    static var isFree: Bool {
        let state = current.pointee
        return state.heldLines == 0 && state.heldMutexes == 0 && !state.holdsLeaf
    }

    /// Notes that a line is taken; false where it may not be: one that comes before what the thread holds, or none at all.
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

    /// Notes that a mutex is taken; false where the thread holds something that is taken later.
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

    /// Notes that a leaf is taken; false where the thread holds another one.
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
