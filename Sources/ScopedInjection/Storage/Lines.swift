import Synchronization

/// The one reader-writer lock of the process: a reader takes one of 64 lines, chosen by its thread, a writer all that
/// may be reading what it changes.
///
/// Who holds any line sees one moment of everything that is read under every line. Readers on different threads write to
/// different cache lines. A line is held for a look or a change, never while user code runs, and nothing of the
/// user's is let go of under it. A thread takes lines in ascending order, and no other lock while it holds one.
struct Lines: @unchecked Sendable {
    // Sendable because all it points to is atomic or guarded by a line, and it is never freed.
    static let shared = Lines()

    /// The lines of everything that others may read through.
    static let every = UInt64.max

    static let count = 64
    /// So far apart that threads on neighbouring lines do not share a cache line.
    private static let stride = 128
    private let base: UnsafeMutableRawPointer

    private struct Line: ~Copyable {
        let isHeld = Atomic(false)
        /// Guarded by the line.
        var lastVersion: UInt64 = 64
        let spareAnchor = Atomic<Unmanaged<AnyObject>?>(nil)
        let spareBuilds = Atomic<Unmanaged<AnyObject>?>(nil)
    }

    private init() {
        base = .allocate(byteCount: Self.stride * (Self.count + 1), alignment: Self.stride)
        for line in 0..<Self.count { self[line].initialize(to: Line()) }
        clock.initialize(to: Atomic(0))
    }

    @inline(__always)
    private subscript(_ line: Int) -> UnsafeMutablePointer<Line> {
        (base + line &* Self.stride).assumingMemoryBound(to: Line.self)
    }

    @inline(__always)
    private var clock: UnsafeMutablePointer<Atomic<UInt64>> {
        (base + Self.count &* Self.stride).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    // MARK: Reading

    /// The line of the calling thread.
    ///
    /// Told by the address of its stack: neighbouring threads differ, and it takes no call to learn. A thread that
    /// unlocks the line it locked is right whichever line that is; two calls at different depths may differ.
    @inline(__always)
    static func ofThread() -> Int {
        var mark: UInt8 = 0
        let address = withUnsafeMutablePointer(to: &mark) { UInt64(UInt(bitPattern: $0)) }
        return Int(truncatingIfNeeded: ((address >> 17) &* 0x9E37_79B9_7F4A_7C15) >> 58)
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

    // MARK: Writing

    /// Takes the lines whose bits are set, lowest first, so that two writers never wait for each other.
    @inline(__always)
    func lock(_ lines: Bits) { lines.forEach { lock($0) } }

    @inline(__always)
    func unlock(_ lines: Bits) { lines.forEach { unlock($0) } }

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

    /// Grows with every change of what a shared scope says, under every line.
    @inline(__always)
    var epoch: UInt64 { clock.pointee.load(ordering: .relaxed) }

    func advanceEpoch() {
        assert(ThreadState.held == Self.every)
        clock.pointee.wrappingAdd(1, ordering: .relaxed)
    }

    /// A number no other value or builder has; the caller holds the line.
    @inline(__always)
    func nextVersion(_ line: Int) -> UInt64 {
        assert(ThreadState.held & Self.bit(line) != 0)
        let version = self[line].pointee.lastVersion &+ 64
        self[line].pointee.lastVersion = version
        return version | UInt64(truncatingIfNeeded: line)
    }

    // MARK: What threads leave for the next request

    /// The places of one line where a thread leaves what the next request would else have to make.
    enum Spare { case anchor, builds }

    @inline(__always)
    func take(_ spare: Spare, _ line: Int) -> Unmanaged<AnyObject>? { put(nil, as: spare, line) }

    /// Takes over an object that nobody else holds where none lies there; false where one does.
    @inline(__always)
    func putFirst(_ object: Unmanaged<AnyObject>, as spare: Spare, _ line: Int) -> Bool {
        switch spare {
        case .anchor: Self.putFirst(object, in: self[line].pointee.spareAnchor)
        case .builds: Self.putFirst(object, in: self[line].pointee.spareBuilds)
        }
    }

    @inline(__always)
    private static func putFirst(
        _ object: Unmanaged<AnyObject>,
        in place: borrowing Atomic<Unmanaged<AnyObject>?>
    ) -> Bool {
        place.compareExchange(expected: nil, desired: object, ordering: .acquiringAndReleasing).exchanged
    }

    /// Takes over an object that nobody else holds; gives back what lay there.
    @inline(__always)
    func put(_ object: Unmanaged<AnyObject>?, as spare: Spare, _ line: Int) -> Unmanaged<AnyObject>? {
        switch spare {
        case .anchor: self[line].pointee.spareAnchor.exchange(object, ordering: .acquiringAndReleasing)
        case .builds: self[line].pointee.spareBuilds.exchange(object, ordering: .acquiringAndReleasing)
        }
    }
}
