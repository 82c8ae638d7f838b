/// The reference that this thread reads through, so that an error can name its line.
struct ReadingReference {
    private let thread: ThreadState.Pointer
    private let outer: Unmanaged<AnyObject>?

    /// Makes the reference current; the caller keeps it alive until `end()`.
    @inline(__always)
    static func begin(_ reference: some ScopedReference) -> ReadingReference {
        let thread = ThreadState.current
        let outer = thread.pointee.reference
        thread.pointee.reference = .passUnretained(reference)
        return ReadingReference(thread: thread, outer: outer)
    }

    @inline(__always)
    func end() { thread.pointee.reference = outer }

    /// The place in the source of the innermost reference that this thread reads through.
    static var current: ScopeError.Location? {
        guard let reference = ThreadState.current.pointee.reference?.takeUnretainedValue() as? any ScopedReference
        else {
            return nil
        }
        return reference.location
    }
}
