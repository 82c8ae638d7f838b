/// What children hold of their parent: one of many small objects, chosen by the thread, so that two threads which make
/// children do not meet at one count.
final class StripedHandles: @unchecked Sendable {
    // Sendable because nothing of it ever changes.

    /// One of them; it does not keep the parent.
    final class Handle: @unchecked Sendable {
        // Sendable because the parent outlives its handles in these programs.
        unowned(unsafe) let scope: FloorScope

        init(_ scope: FloorScope) { self.scope = scope }
    }

    static let count = 64

    private let handles: UnsafeMutablePointer<Unmanaged<Handle>>
    /// Between them, so that no two lie in one line of a cache.
    private let padding: [UnsafeMutableRawPointer]

    init(of scope: FloorScope) {
        handles = .allocate(capacity: Self.count)
        var padding: [UnsafeMutableRawPointer] = []
        for index in 0..<Self.count {
            (handles + index).initialize(to: .passRetained(Handle(scope)))
            padding.append(.allocate(byteCount: 200, alignment: 16))
        }
        self.padding = padding
    }

    /// The handle of the thread that asks.
    var ofThread: Handle { handles[Self.lineOfThread()].takeUnretainedValue() }

    /// Where the thread's stack lies, as a number below `count`.
    @inline(__always)
    static func lineOfThread() -> Int {
        var place: UInt8 = 0
        return withUnsafeMutablePointer(to: &place) {
            Int(truncatingIfNeeded: (UInt64(UInt(bitPattern: $0) >> 17) &* 0x9E37_79B9_7F4A_7C15) >> 58)
        }
    }
}
