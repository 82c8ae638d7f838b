/// Which threads wait for which others, so that none waits for itself.
enum Blocking {
    /// The thread that each waiting thread waits for, by the identities of their states.
    private static let waits = Guarded<[UInt: UInt]>([:])

    /// Identifies the calling thread for as long as it lives.
    static var thisThread: UInt { identity(of: ThreadState.current) }

    static func identity(of thread: ThreadState.Pointer) -> UInt { UInt(bitPattern: thread) }

    /// Calls a function that waits for another thread, and returns true; false if that thread waits for this one, so that neither
    /// would ever go on.
    static func wait(for thread: UInt, _ wait: () -> Void) -> Bool {
        let this = thisThread
        let isCircle = waits.withLock { waits in
            var at: UInt? = thread
            while let other = at, other != this { at = waits[other] }
            if at == nil { waits[this] = thread }
            return at != nil
        }
        if isCircle { return false }
        wait()
        waits.withLock { $0[this] = nil }
        return true
    }
}
