/// Which threads wait for which others, so that none waits for itself.
enum Blocking {
    /// What a waiting thread waits for: a signal of another one, by the identity of that one's state.
    private typealias Wait = (thread: UInt, signal: Signal)

    private static let waits = Guarded<[UInt: Wait]>([:])

    /// Identifies the calling thread for as long as it lives.
    static var thisThread: UInt { identity(of: ThreadState.current) }

    static func identity(of thread: ThreadState.Pointer) -> UInt { UInt(bitPattern: thread) }

    /// Waits for a signal of another thread, and returns true; false if that thread waits for this one, so that neither would
    /// ever go on.
    static func wait(for signal: Signal, of thread: UInt) -> Bool {
        let this = thisThread
        let isCircle = waits.withLock { waits in
            var at: Wait? = (thread, signal)
            // Whoever has been signalled goes on, though it has not said so yet.
            while let wait = at, !wait.signal.isSet {
                if wait.thread == this { return true }
                at = waits[wait.thread]
            }
            waits[this] = (thread, signal)
            return false
        }
        if isCircle { return false }
        signal.wait()
        waits.withLock { $0[this] = nil }
        return true
    }
}
