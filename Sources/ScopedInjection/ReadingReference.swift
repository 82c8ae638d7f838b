#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// The reference that this thread is reading through, so that an error can name its line.
///
/// A property of a scope cannot say who reads it; noting that costs a reference's read two stores.
struct ReadingReference {
    private typealias Slot = UnsafeMutablePointer<Unmanaged<AnyObject>?>

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let failure = pthread_key_create(&key) { slot in
            // Darwin passes the pointer as non-optional.
            let slot: UnsafeMutableRawPointer? = slot
            slot?.deallocate()
        }
        precondition(failure == 0, "the process has no thread-specific keys left")
        return key
    }()

    private let slot: Slot
    private let outer: Unmanaged<AnyObject>?

    /// Notes the reference, which the caller keeps alive until `end()`.
    @inline(__always)
    static func begin(_ reference: some ScopedReference) -> ReadingReference {
        let slot = slotOfThread
        let outer = slot.pointee
        slot.pointee = .passUnretained(reference)
        return ReadingReference(slot: slot, outer: outer)
    }

    @inline(__always)
    func end() { slot.pointee = outer }

    /// Where the innermost reference stands that this thread reads through.
    static var current: ScopeError.Location? {
        guard let reference = slotOfThread.pointee?.takeUnretainedValue() as? any ScopedReference else { return nil }
        return reference.location
    }

    @inline(__always)
    private static var slotOfThread: Slot {
        if let slot = pthread_getspecific(key) { return slot.assumingMemoryBound(to: Unmanaged<AnyObject>?.self) }
        return makeSlot()
    }

    @inline(never)
    private static func makeSlot() -> Slot {
        let slot = Slot.allocate(capacity: 1)
        slot.initialize(to: nil)
        pthread_setspecific(key, slot)
        return slot
    }
}
