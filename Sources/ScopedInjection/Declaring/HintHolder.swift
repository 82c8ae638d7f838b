import Synchronization

/// Holds a hint, which is read under any line and changed under every line.
struct HintHolder: ~Copyable, Sendable {
    private let known = Atomic<Borrowed<Hint>?>(nil)
    private let isCleanedUp = Atomic(false)

    deinit { known.load(ordering: .acquiring)?.release() }

    /// The caller holds a line.
    @inline(__always)
    var current: Borrowed<Hint>? { known.load(ordering: .acquiring) }

    /// Whether the last run registered cleanups.
    var hasCleanups: Bool { isCleanedUp.load(ordering: .relaxed) }

    /// It looks first, because it is called at each build.
    func remember(hasCleanups: Bool) {
        if self.hasCleanups != hasCleanups { isCleanedUp.store(hasCleanups, ordering: .relaxed) }
    }

    /// Returns the former hint, to be released.
    func exchange(_ hint: Hint) -> Borrowed<Hint>? {
        known.exchange(.retaining(hint), ordering: .acquiringAndReleasing)
    }
}
