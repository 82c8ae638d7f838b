internal import Synchronization

/// Flags, one for the readers of each of several stacks, far enough from each other that threads do not meet.
struct FloorLines: @unchecked Sendable {
    // Sendable because all it points to is atomic, and it is never freed.
    private static let shared = FloorLines()
    private static let size = 128

    private let base: UnsafeMutableRawPointer

    private init() {
        base = .allocate(byteCount: Self.size * StripedHandles.count, alignment: Self.size)
        for line in 0..<StripedHandles.count { flag(line).initialize(to: Atomic(false)) }
    }

    private func flag(_ line: Int) -> UnsafeMutablePointer<Atomic<Bool>> {
        (base + line &* Self.size).assumingMemoryBound(to: Atomic<Bool>.self)
    }

    /// Runs code while nobody else has the line of this thread.
    @inline(__always)
    static func withLine<Result>(_ body: () -> Result) -> Result {
        let flag = shared.flag(StripedHandles.lineOfThread())
        while flag.pointee.exchange(true, ordering: .acquiring) {}
        defer { flag.pointee.store(false, ordering: .releasing) }
        return body()
    }
}
