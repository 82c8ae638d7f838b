import Synchronization

/// Guards a few words; a leaf: whoever holds it takes no other lock, and runs nothing of the user's.
struct SpinLock: ~Copyable, Sendable {
    private let isHeld = Atomic(false)

    @inline(__always)
    func withLock<Result: ~Copyable>(_ body: () -> Result) -> Result {
        assert(ThreadState.noteLeafHeld(), "a leaf is taken under another one")
        if isHeld.exchange(true, ordering: .acquiring) { waitToTake(isHeld) }
        defer {
            assert(ThreadState.noteLeafReleased())
            isHeld.store(false, ordering: .releasing)
        }
        return body()
    }

    /// Lets the caller see all that was done under the lock; for one who knows that nobody will take it any more.
    @inline(__always)
    func synchronize() { _ = isHeld.load(ordering: .acquiring) }
}

/// Takes a flag that somebody else holds, as soon as he lets it go.
@inline(never)
func waitToTake(_ isHeld: borrowing Atomic<Bool>) {
    var attempt = 0
    repeat {
        var spins = 0
        while isHeld.load(ordering: .relaxed) {
            spins += 1
            if spins > 64 {
                backOff(attempt: attempt)
                attempt += 1
                spins = 0
            }
        }
    } while isHeld.exchange(true, ordering: .acquiring)
}
