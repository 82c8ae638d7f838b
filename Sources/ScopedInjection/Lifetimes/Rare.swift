import Synchronization

/// The state that few scopes need, kept apart so that most requests do not allocate it.
final class Rare: Sendable {
    /// The build whose builder made the scope; see `maker`.
    let making: (any AnyObject & Sendable)?
    /// The build below whose scope that builder made it, if it was another thread's; see `buildAbove`.
    let above: (any AnyObject & Sendable)?
    let state: Guarded<State>
    var watch: (any ScopeWatch)? { state.withLock { $0.watch } }

    struct State: Sendable {
        /// The watch of the test in whose scope, or below it, the scope was made.
        var watch: (any ScopeWatch)?
        var observers: [@Sendable (ScopeEvent) -> Void] = []
        var closing = Closing()
        /// The new parent of a scope that was in force; held until the scope no longer is.
        var heldParent: Anchor?
        /// Whether `replace(in:)` was called on the scope, or on one further in.
        var isBound = false
        /// The references that it bound.
        var bound = BoundReferences()

        /// Holds another parent, and returns the one that was held, which the caller has to let go of.
        mutating func exchangeHeldParent(_ anchor: Anchor?) -> Unmanaged<Anchor>? {
            defer { heldParent = anchor }
            return heldParent.map { .passRetained($0) }
        }
    }

    init(
        watch: (any ScopeWatch)? = nil,
        making: (any AnyObject & Sendable)? = nil,
        above: (any AnyObject & Sendable)? = nil
    ) {
        state = Guarded(State(watch: watch))
        self.making = making
        self.above = above
    }
}

extension NodePointer {
    /// The `Rare` of the scope, if it has one.
    var rare: Rare? {
        pointee.rare.load(ordering: .acquiring).map { unsafeDowncast($0.takeUnretainedValue(), to: Rare.self) }
    }
}

extension EnvironmentScope {
    /// The scope's `Rare`, if it has one.
    var rare: Rare? { node?.rare }

    /// The scope's `Rare`, made if there is none; the scope has a node.
    func makeRare() -> Rare {
        if let rare { return rare }
        let made = Unmanaged<AnyObject>.passRetained(Rare())
        let (isFirst, _) = node.unsafelyUnwrapped.pointee.rare.compareExchange(
            expected: nil,
            desired: made,
            ordering: .acquiringAndReleasing
        )
        if !isFirst { made.release() }
        return makeRare()
    }
}
