import Synchronization

/// The one reader-writer lock of the process, made of 64 lines.
///
/// A reader takes one line, that of its thread: threads are numbered as they come, so that 64 have 64 lines. A writer takes
/// every line whose reader may read what it changes, which is what `Node.readers` says. Readers on different threads write
/// to different cache lines. A line is held for a look or a change, never while user code runs or an object of the user's is
/// let go of. A thread takes lines in ascending order, and no other lock but a leaf, or that of a signal, while it holds one.
package struct Lines: @unchecked Sendable {
    // Sendable because all its memory is atomic or guarded by a line, and is never freed.
    package static let shared = Lines()

    package static let count = 64
    /// Keeps neighbouring lines from sharing a cache line.
    private static let stride = 128
    /// The number of hashes of threads.
    private static let hashes = 1 << 14
    /// The line of a hash that no thread has had.
    private static let unseen = UInt8.max
    private let base: UnsafeMutableRawPointer

    private struct Line: ~Copyable {
        // First what the line guards: the thread sanitizer takes an in-place change of any field for one of the first byte.
        var lastVersion: UInt64 = 64
        /// The last of the announced builds of the line's threads, as a linked list; each is withdrawn before it goes.
        var builds: Borrowed<Build>?
        /// The bodies that have begun under the line, as a linked list.
        var bodies: Borrowed<Anchor>?
        /// The first node that keeps something to end, of those that are listed under the line.
        var keepers: UnsafeMutableRawPointer?
        let isHeld = Atomic(false)
    }

    private struct Counts: ~Copyable {
        let bits = Atomic<UInt64>(0)
        let threads = Atomic<UInt>(0)
    }

    private init() {
        base = .allocate(byteCount: Self.stride * (Self.count + 1) + Self.hashes, alignment: Self.stride)
        for line in 0..<Self.count { self[line].initialize(to: Line()) }
        counts.initialize(to: Counts())
        for hash in 0..<Self.hashes { (numbers + hash).initialize(to: Atomic(Self.unseen)) }
    }

    @inline(__always)
    private subscript(_ line: Int) -> UnsafeMutablePointer<Line> {
        (base + line &* Self.stride).assumingMemoryBound(to: Line.self)
    }

    @inline(__always)
    private var counts: UnsafeMutablePointer<Counts> {
        (base + Self.count &* Self.stride).assumingMemoryBound(to: Counts.self)
    }

    /// The lines of the threads, by a hash of their identities.
    @inline(__always)
    private var numbers: UnsafeMutablePointer<Atomic<UInt8>> {
        (base + (Self.count + 1) &* Self.stride).assumingMemoryBound(to: Atomic<UInt8>.self)
    }

    // MARK: Reading

    /// The line of the calling thread, which is always the same.
    @inline(__always)
    package func ofThread() -> Int {
        // Two of 64 threads rarely have one hash: in one process of eight.
        let hash = Int(truncatingIfNeeded: (UInt64(identityOfThread()) &* 0x9E37_79B9_7F4A_7C15) >> 50)
        let line = numbers[hash].load(ordering: .relaxed)
        return Int(truncatingIfNeeded: line != Self.unseen ? line : makeNumber(hash))
    }

    @inline(never)
    private func makeNumber(_ hash: Int) -> UInt8 {
        let threads = counts.pointee.threads.wrappingAdd(1, ordering: .relaxed).oldValue
        let line = UInt8(threads % UInt(Self.count))
        let (isFirst, other) = numbers[hash].compareExchange(expected: Self.unseen, desired: line, ordering: .relaxed)
        return isFirst ? line : other
    }

    @inline(__always)
    static func bit(_ line: Int) -> UInt64 { 1 << UInt64(truncatingIfNeeded: line) }

    @inline(__always)
    func lock(_ line: Int) {
        assert(ThreadState.current.pointee.locks.take(line: Self.bit(line)), "a line is taken twice, or out of order")
        if self[line].pointee.isHeld.exchange(true, ordering: .acquiring) { waitToTake(self[line].pointee.isHeld) }
    }

    @inline(__always)
    func unlock(_ line: Int) {
        assert(ThreadState.current.pointee.locks.release(line: Self.bit(line)))
        self[line].pointee.isHeld.store(false, ordering: .releasing)
    }

    /// Calls a function while the line of the thread is held.
    @inline(__always)
    func whileReading<Result>(_ body: () -> Result) -> Result {
        let line = ofThread()
        lock(line)
        defer {
            finishRetaining()
            unlock(line)
        }
        return body()
    }

    // MARK: Writing

    /// A set of lines.
    struct Bits: Sequence, IteratorProtocol {
        private(set) var bits: UInt64
        static let every = Bits(bits: .max)

        init(bits: UInt64) { self.bits = bits }

        @inline(__always)
        mutating func next() -> Int? {
            if bits == 0 { return nil }
            defer { bits &= bits &- 1 }
            return bits.trailingZeroBitCount
        }
    }

    /// Takes the lines of a set, lowest first, so that two writers never wait for each other.
    @inline(__always)
    func lock(_ lines: Bits) { for line in lines { lock(line) } }

    @inline(__always)
    func unlock(_ lines: Bits) { for line in lines { unlock(line) } }

    /// Returns once every thread that held a line has let go of it; the caller holds none.
    func waitForReaders() {
        for line in Bits.every {
            lock(line)
            unlock(line)
        }
    }

    /// The last of the announced builds of the threads of a line; the caller holds that line.
    func builds(_ line: Int) -> Borrowed<Build>? { self[line].pointee.builds }

    /// The caller holds the line.
    func setBuilds(_ build: Borrowed<Build>?, _ line: Int) { self[line].pointee.builds = build }

    /// The list of bodies of a line, which the caller holds.
    @inline(__always)
    func bodies(_ line: Int) -> Borrowed<Anchor>? { self[line].pointee.bodies }

    @inline(__always)
    func setBodies(_ body: Borrowed<Anchor>?, _ line: Int) { self[line].pointee.bodies = body }

    /// The list of nodes of a line that keep something to end; the caller holds the line.
    func keepers(_ line: Int) -> UnsafeMutableRawPointer? { self[line].pointee.keepers }

    func setKeepers(_ node: UnsafeMutableRawPointer?, _ line: Int) { self[line].pointee.keepers = node }

    // MARK: Counting

    /// How many keys have a bit; a part of every stamp, because the masks of kept values are made of bits.
    @inline(__always)
    var givenBits: UInt64 { counts.pointee.bits.load(ordering: .relaxed) }

    /// Counts another bit that is given out, and returns how many were before; the caller holds every line.
    func giveBit() -> UInt64 {
        assert(ThreadState.held == .max)
        return counts.pointee.bits.wrappingAdd(1, ordering: .relaxed).oldValue
    }

    /// A number that no other value or provider has; the caller holds the line.
    @inline(__always)
    func nextVersion(_ line: Int) -> UInt64 {
        assert(ThreadState.held & Self.bit(line) != 0)
        let version = self[line].pointee.lastVersion &+ 64
        self[line].pointee.lastVersion = version
        return version | UInt64(truncatingIfNeeded: line)
    }
}
