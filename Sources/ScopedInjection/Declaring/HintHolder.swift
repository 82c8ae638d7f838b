import Synchronization

/// Holds a hint, which is read under any line and changed under every line.
struct HintHolder: ~Copyable, Sendable {
    private let known = Atomic<Borrowed<Hint>?>(nil)

    deinit { known.load(ordering: .acquiring)?.release() }

    /// The caller holds a line.
    @inline(__always)
    var current: Borrowed<Hint>? { known.load(ordering: .acquiring) }

    /// Returns the former hint, to be released.
    func exchange(_ hint: Hint) -> Borrowed<Hint>? {
        known.exchange(.retaining(hint), ordering: .acquiringAndReleasing)
    }
}
