#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// Gives the processor away, for longer the more often it was in vain.
///
/// Sleeping in the end matters: a thread of high priority that only yielded could keep the holder from running.
func backOff(attempt: Int) {
    if attempt < 32 {
        sched_yield()
    } else {
        usleep(attempt < 64 ? 50 : 500)
    }
}

/// Keeps retains of what was read under a lock from being moved past the unlocking.
///
/// The optimizer moves a retain down to where something might be let go of, and an atomic store lets go of nothing. It
/// cannot look into this call.
@inline(__always)
func finishRetaining() { _ = pthread_getspecific(0) }

/// A thread waits here until another one says that it may go on.
///
/// Used once.
final class Signal: @unchecked Sendable {
    // Sendable because the two pointers never change and POSIX makes what they point to safe to share.
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
