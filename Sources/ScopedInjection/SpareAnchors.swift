import Synchronization

/// Anchors of scopes that are gone, for the next scopes to lend: one for each line of the reader locks.
///
/// Requests come and go, so almost every one finds the anchor that the last one on its thread has left.
struct SpareAnchors: @unchecked Sendable {
    // Sendable because all it points to is atomic, and it is never freed.
    private static let shared = SpareAnchors()

    private let base: UnsafeMutableRawPointer

    private init() {
        base = .allocate(byteCount: ReaderLocks.lineSize * ReaderLocks.lineCount, alignment: ReaderLocks.lineSize)
        for line in 0..<ReaderLocks.lineCount { place(line).initialize(to: Atomic(nil)) }
    }

    private func place(_ line: Int) -> UnsafeMutablePointer<Atomic<Unmanaged<Anchor>?>> {
        (base + line &* ReaderLocks.lineSize).assumingMemoryBound(to: Atomic<Unmanaged<Anchor>?>.self)
    }

    static func take() -> Anchor? {
        let place = shared.place(ReaderLocks.lineOfThread())
        return place.pointee.exchange(nil, ordering: .acquiring)?.takeRetainedValue()
    }

    /// Takes over an anchor that nobody else holds and that keeps nothing.
    static func put(_ anchor: Unmanaged<Anchor>) {
        let place = shared.place(ReaderLocks.lineOfThread())
        place.pointee.exchange(anchor, ordering: .acquiringAndReleasing)?.release()
    }
}
