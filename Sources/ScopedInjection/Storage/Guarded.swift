import Synchronization

/// A value behind a mutex whose order the thread sanitizer sees.
///
/// A `Mutex` whose order the thread sanitizer sees: on Linux the mutex's own atomics lie in a library that is not
/// instrumented, so every correct use of it would be reported. The store and the load cost no more than plain ones.
package struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
    private let value: Mutex<Value>
    private let handover = Atomic(false)

    package init(_ value: consuming sending Value) { self.value = Mutex(value) }

    @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try value.withLock { value throws(Failure) in
            assert(ThreadState.noteMutexHeld(), "a mutex is taken under a line or a leaf")
            _ = handover.load(ordering: .acquiring)
            defer {
                handover.store(true, ordering: .releasing)
                assert(ThreadState.noteMutexReleased())
            }
            return try body(&value)
        }
    }
}
