import Synchronization

/// The state that few scopes need, kept apart so that most requests do not allocate it.
final class Extras: @unchecked Sendable {
    // Sendable because the properties are guarded by the lines of the node's readers.

    /// What is kept during a closing and has cleanups, the last one first; owned.
    @exclusivity(unchecked) var late: Borrowed<Resource>?
    /// The scopes in which those run who close this one from the inside; kept by them.
    @exclusivity(unchecked) var closers: [NodePointer] = []
    /// The watch of the test in whose scope, or below it, the scope was made; of the process for a root.
    @exclusivity(unchecked) var watch: (any ScopeWatch)?
    @exclusivity(unchecked) var observers: [@Sendable (ScopeEvent) -> Void] = []
    /// What changes of several values note of the scope.
    @exclusivity(unchecked) var changing: AnyObject?
}

extension UnsafeMutablePointer where Pointee == Node {
    /// The `Extras` of the scope, if it has one.
    var extras: Extras? {
        pointee.extras.load(ordering: .acquiring)?.object
    }

    /// The `Extras` of the scope, made if there is none.
    func makeExtras() -> Extras {
        if let extras { return extras }
        let made = Borrowed.retaining(Extras())
        let (isFirst, _) = pointee.extras.compareExchange(
            expected: nil,
            desired: made,
            ordering: .acquiringAndReleasing
        )
        if !isFirst { made.release() }
        return makeExtras()
    }
}
