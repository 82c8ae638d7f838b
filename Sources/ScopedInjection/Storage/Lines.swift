import Synchronization

/// The one reader-writer lock of the process, made of 64 lines.
///
/// A reader takes one line, chosen by its thread. A writer takes every line whose reader may read what it changes. So
/// a thread that holds any line sees one moment of all nodes that are read under every line. Readers on different
/// threads write to different cache lines. A line is held for a look or a change, never while user code runs or an
/// object of the user's is released. A thread takes lines in ascending order, and no other lock but a leaf while it
/// holds one.
struct Lines: @unchecked Sendable {
    // Sendable because all its memory is atomic or guarded by a line, and is never freed.
    static let shared = Lines()

    /// The lines of a shared node.
    static let every = UInt64.max

    static let count = 64
    /// Keeps neighbouring lines from sharing a cache line.
    private static let stride = 128
    private let base: UnsafeMutableRawPointer

    private struct Line: ~Copyable {
        let isHeld = Atomic(false)
        /// Guarded by the line.
        var lastVersion: UInt64 = 64
        let spareAnchor = Atomic<Unmanaged<AnyObject>?>(nil)
        let spareBuilds = Atomic<Unmanaged<AnyObject>?>(nil)
        let spareTable = Atomic<UnsafeMutablePointer<Slot>?>(nil)
    }

    private struct Clock: ~Copyable {
        let epoch = Atomic<UInt64>(0)
        let moves = Atomic<UInt64>(0)
    }

    private init() {
        base = .allocate(byteCount: Self.stride * (Self.count + 1), alignment: Self.stride)
        for line in 0..<Self.count { self[line].initialize(to: Line()) }
        clock.initialize(to: Clock())
    }

    @inline(__always)
    private subscript(_ line: Int) -> UnsafeMutablePointer<Line> {
        (base + line &* Self.stride).assumingMemoryBound(to: Line.self)
    }

    @inline(__always)
    private var clock: UnsafeMutablePointer<Clock> {
        (base + Self.count &* Self.stride).assumingMemoryBound(to: Clock.self)
    }

    // MARK: Reading

    /// The line of the calling thread, which is always the same.
    @inline(__always)
    static func ofThread() -> Int { line(of: identityOfThread()) }

    /// The line of a thread.
    ///
    /// Threads lie as far from each other as their stacks are large. For the usual sizes this factor gives two dozen neighbours
    /// lines of their own; with the golden ratio, the next but two shared one in every fourth process.
    @inline(__always)
    static func line(of identity: UInt) -> Int {
        Int(truncatingIfNeeded: (UInt64(identity) &* 0x942B_4788_A7A3_DBF1) >> 58)
    }

    @inline(__always)
    static func bit(_ line: Int) -> UInt64 { 1 << UInt64(truncatingIfNeeded: line) }

    @inline(__always)
    func lock(_ line: Int) {
        assert(ThreadState.noteHeld(Self.bit(line)), "a line is taken twice, out of order or under a leaf")
        if self[line].pointee.isHeld.exchange(true, ordering: .acquiring) { waitToTake(self[line].pointee.isHeld) }
    }

    @inline(__always)
    func unlock(_ line: Int) {
        assert(ThreadState.noteReleased(Self.bit(line)))
        self[line].pointee.isHeld.store(false, ordering: .releasing)
    }

    /// Calls a function while the line of the thread is held.
    @inline(__always)
    func whileReading<Result>(_ body: () -> Result) -> Result {
        let line = Self.ofThread()
        lock(line)
        defer {
            finishRetaining()
            unlock(line)
        }
        return body()
    }

    // MARK: Writing

    /// Takes the lines of a set, lowest first, so that two writers never wait for each other.
    @inline(__always)
    func lock(_ lines: Bits) { lines.forEach { lock($0) } }

    @inline(__always)
    func unlock(_ lines: Bits) { lines.forEach { unlock($0) } }

    /// Returns once every thread that held a line has let go of it; the caller holds none.
    func waitForReaders() {
        Bits.every.forEach {
            lock($0)
            unlock($0)
        }
    }

    /// A set of lines.
    struct Bits {
        let bits: UInt64
        static let every = Bits(bits: Lines.every)

        @inline(__always)
        func forEach(_ body: (Int) -> Void) {
            var rest = bits
            while rest != 0 {
                body(rest.trailingZeroBitCount)
                rest &= rest &- 1
            }
        }
    }

    // MARK: Counting

    /// The clock of all shared nodes; it is advanced under every line.
    @inline(__always)
    var epoch: UInt64 { clock.pointee.epoch.load(ordering: .relaxed) }

    func advanceEpoch() {
        assert(ThreadState.held == Self.every)
        clock.pointee.epoch.wrappingAdd(1, ordering: .relaxed)
    }

    /// How often a scope that others may have looked at has got another parent or policy.
    ///
    /// As long as it is the same, each scope has the ancestors that it had, unless they are gone.
    var moves: UInt64 { clock.pointee.moves.load(ordering: .relaxed) }

    /// Advances the epoch as well.
    func noteMove() {
        advanceEpoch()
        clock.pointee.moves.wrappingAdd(1, ordering: .relaxed)
    }

    /// A number that no other value or provider has; the caller holds the line.
    @inline(__always)
    func nextVersion(_ line: Int) -> UInt64 {
        assert(ThreadState.held & Self.bit(line) != 0)
        let version = self[line].pointee.lastVersion &+ 64
        self[line].pointee.lastVersion = version
        return version | UInt64(truncatingIfNeeded: line)
    }

    // MARK: Objects that threads leave for the next request

    /// The places of one line where a thread leaves objects for its next request.
    enum Spare { case anchor, builds }

    @inline(__always)
    func take(_ spare: Spare, _ line: Int) -> Unmanaged<AnyObject>? { put(nil, as: spare, line) }

    /// Leaves a build that nothing else refers to, if the place is empty; returns whether it was.
    @inline(__always)
    func putFirst(build: Unmanaged<AnyObject>, _ line: Int) -> Bool {
        self[line].pointee.spareBuilds
            .compareExchange(expected: nil, desired: build, ordering: .acquiringAndReleasing).exchanged
    }

    /// Leaves an object that nothing else refers to; returns the object that lay there.
    @inline(__always)
    func put(_ object: Unmanaged<AnyObject>?, as spare: Spare, _ line: Int) -> Unmanaged<AnyObject>? {
        switch spare {
        case .anchor: self[line].pointee.spareAnchor.exchange(object, ordering: .acquiringAndReleasing)
        case .builds: self[line].pointee.spareBuilds.exchange(object, ordering: .acquiringAndReleasing)
        }
    }

    /// Leaves a table that nothing else refers to; returns the table that lay there.
    @inline(__always)
    func putTable(_ table: UnsafeMutablePointer<Slot>?, _ line: Int) -> UnsafeMutablePointer<Slot>? {
        self[line].pointee.spareTable.exchange(table, ordering: .acquiringAndReleasing)
    }
}
