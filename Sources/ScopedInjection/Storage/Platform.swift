#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// Yields the processor, for longer after more attempts.
///
/// It sleeps in the end, because a thread of high priority that only yielded could keep the holder of the lock from
/// running.
func backOff(attempt: Int) {
    if attempt < 32 {
        sched_yield()
    } else {
        usleep(attempt < 64 ? 50 : 500)
    }
}

/// Keeps retains of objects that were read under a lock from being moved past the unlocking.
///
/// The optimizer delays a retain until something might be released, and an atomic store releases nothing. It cannot
/// see into this call.
@inline(__always)
func finishRetaining() { _ = pthread_getspecific(0) }

/// Lets one thread wait until another one wakes it; used once.
final class Signal: @unchecked Sendable {
    // Sendable because the two pointers never change, and POSIX makes their memory safe to share.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isSet = false

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func set() {
        pthread_mutex_lock(mutex)
        isSet = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    func wait() {
        pthread_mutex_lock(mutex)
        while !isSet { pthread_cond_wait(condition, mutex) }
        pthread_mutex_unlock(mutex)
    }
}
