import Synchronization

/// The locks under which values are read: a reader takes one, chosen by its thread, and a writer takes all
/// that may be reading what it changes.
///
/// Readers on different threads write to different cache lines, so reading one value on many threads costs
/// each of them what it costs alone. A lock is held for a look-up and a copy, never while user code runs.
struct ReaderLocks: @unchecked Sendable {
    // Sendable because all it points to is atomic, and it is never freed.
    static let shared = ReaderLocks()

    static let everyLine = UInt64.max

    static let lineCount = 64
    /// So far apart that threads on neighbouring lines do not share a cache line.
    static let lineSize = 128
    private let base: UnsafeMutableRawPointer

    private init() {
        base = .allocate(byteCount: Self.lineSize * (Self.lineCount + 3), alignment: Self.lineSize)
        for line in 0..<Self.lineCount { lock(line).initialize(to: Atomic(false)) }
        epochs.initialize(to: Atomic(0))
        setValues.initialize(to: Atomic(.max))
        moveCount.initialize(to: Atomic(0))
        versions.initialize(to: Atomic(0))
        root.initialize(to: Atomic(nil))
    }

    // MARK: The lines

    private func lock(_ line: Int) -> UnsafeMutablePointer<Atomic<Bool>> {
        (base + line &* Self.lineSize).assumingMemoryBound(to: Atomic<Bool>.self)
    }

    private var epochs: UnsafeMutablePointer<Atomic<UInt64>> {
        (base + Self.lineCount &* Self.lineSize).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    private var setValues: UnsafeMutablePointer<Atomic<UInt64>> { epochs + 1 }

    private var versions: UnsafeMutablePointer<Atomic<UInt64>> {
        (base + (Self.lineCount &+ 1) &* Self.lineSize).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    private var moveCount: UnsafeMutablePointer<Atomic<UInt64>> { epochs + 2 }

    /// The global scope's address, read under a line and written under all of them, so that who holds a line
    /// may use the scope without retaining it.
    var root: UnsafeMutablePointer<Atomic<UnsafeRawPointer?>> {
        (base + (Self.lineCount &+ 2) &* Self.lineSize).assumingMemoryBound(to: Atomic<UnsafeRawPointer?>.self)
    }

    // MARK: Reading

    /// The line of the calling thread.
    ///
    /// Told by the address of its stack: neighbouring threads differ, and it takes no call to learn. A thread that
    /// unlocks the line it locked is right whichever line that is; two calls at different depths may differ.
    @inline(__always)
    static func lineOfThread() -> Int {
        var mark: UInt8 = 0
        let address = withUnsafeMutablePointer(to: &mark) { UInt64(UInt(bitPattern: $0)) }
        return Int(truncatingIfNeeded: ((address >> 17) &* 0x9E37_79B9_7F4A_7C15) >> 58)
    }

    @inline(__always)
    func lockLine(_ line: Int) {
        if lock(line).pointee.exchange(true, ordering: .acquiring) { waitForLine(line) }
    }

    @inline(__always)
    func unlockLine(_ line: Int) {
        lock(line).pointee.store(false, ordering: .releasing)
    }

    @inline(never)
    private func waitForLine(_ line: Int) {
        var attempt = 0
        repeat {
            var spins = 0
            while lock(line).pointee.load(ordering: .relaxed) {
                spins += 1
                if spins > 64 {
                    backOff(attempt: attempt)
                    attempt += 1
                    spins = 0
                }
            }
        } while lock(line).pointee.exchange(true, ordering: .acquiring)
    }

    // MARK: Writing

    /// Takes the lines whose bits are set, lowest first, so that two writers never wait for each other.
    func lockLines(_ lines: UInt64) {
        forEachLine(lines) { lockLine($0) }
    }

    func unlockLines(_ lines: UInt64) {
        forEachLine(lines) { unlockLine($0) }
    }

    @inline(__always)
    private func forEachLine(_ lines: UInt64, _ body: (Int) -> Void) {
        var rest = lines
        while rest != 0 {
            body(rest.trailingZeroBitCount)
            rest &= rest &- 1
        }
    }

    // MARK: Counting

    /// Grows with every change that may alter what another scope than the changed one sees.
    @inline(__always)
    var epoch: UInt64 { epochs.pointee.load(ordering: .acquiring) }

    func advanceEpoch() { epochs.pointee.wrappingAdd(1, ordering: .acquiringAndReleasing) }

    /// The stamp of what is set in a scope, which decides there as long as no alias is declared or lifted.
    @inline(__always)
    var stampOfSetValues: UInt64 { setValues.pointee.load(ordering: .acquiring) }

    /// Ends all stamps, those of set values too, because keys may have other names than they had.
    ///
    /// Those of every table, because a scope asks for the names before it reads through the next one.
    ///
    /// While writing what names keys, or gives a scope other ancestors.
    func noteNames() {
        // Before, so that who finds the new stamp of set values does not take its names for those of an older epoch;
        // after, so that nothing is remembered that was found by the old one.
        advanceEpoch()
        setValues.pointee.wrappingSubtract(1, ordering: .acquiringAndReleasing)
        advanceEpoch()
    }

    /// Grows whenever a scope is given another parent, or another scope becomes the global one.
    var moves: UInt64 { moveCount.pointee.load(ordering: .acquiring) }

    func noteMove() { moveCount.pointee.wrappingAdd(1, ordering: .acquiringAndReleasing) }

    /// A number no other value or builder has: two reads that saw the same number saw the same value.
    func nextVersion() -> UInt64 { versions.pointee.wrappingAdd(1, ordering: .relaxed).newValue }
}
