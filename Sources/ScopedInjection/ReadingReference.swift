import Synchronization

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

    /// The key of the threads' slots and one, 0 until there is one: a lazy constant would be asked for at each read.
    private static let keyAndOne = Atomic<UInt>(0)

    @inline(__always)
    private static var knownKey: pthread_key_t? {
        let known = keyAndOne.load(ordering: .acquiring)
        return known == 0 ? nil : pthread_key_t(truncatingIfNeeded: known &- 1)
    }

    private static func makeKey() -> pthread_key_t {
        var key = pthread_key_t()
        let failure = pthread_key_create(&key) { slot in
            // Darwin passes the pointer as non-optional.
            let slot: UnsafeMutableRawPointer? = slot
            slot?.deallocate()
        }
        precondition(failure == 0, "the process has no thread-specific keys left")
        let (isFirst, known) = keyAndOne.compareExchange(
            expected: 0,
            desired: UInt(key) + 1,
            ordering: .acquiringAndReleasing
        )
        if isFirst { return key }
        pthread_key_delete(key)
        return pthread_key_t(known - 1)
    }

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
        if let key = knownKey, let slot = pthread_getspecific(key) {
            return slot.assumingMemoryBound(to: Unmanaged<AnyObject>?.self)
        }
        return makeSlot()
    }

    @inline(never)
    private static func makeSlot() -> Slot {
        let slot = Slot.allocate(capacity: 1)
        slot.initialize(to: nil)
        pthread_setspecific(knownKey ?? makeKey(), slot)
        return slot
    }
}
