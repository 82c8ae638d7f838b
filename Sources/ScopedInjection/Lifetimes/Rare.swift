import Synchronization

/// The state that few scopes need, kept apart so that most requests do not allocate it.
final class Rare: Sendable {
    /// The watch of the test in whose scope, or below it, the scope was made.
    let watchBox = AtomicLazyReference<WatchBox>()
    var watch: (any ScopeWatch)? { watchBox.load()?.watch }
    /// The build whose builder made the scope; see `maker`.
    let making: (any AnyObject & Sendable)?
    /// The build below whose scope that builder made it, if it was another thread's; see `buildAbove`.
    let above: (any AnyObject & Sendable)?
    let state = Guarded(State())

    struct State: Sendable {
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
        if let watch { _ = watchBox.storeIfNil(WatchBox(watch)) }
        self.making = making
        self.above = above
    }
}

extension EnvironmentScope {
    /// The scope's `Rare`, if it has one.
    var rare: Rare? {
        guard let rare = node?.pointee.rare.load(ordering: .acquiring) else { return nil }
        return unsafeDowncast(rare.takeUnretainedValue(), to: Rare.self)
    }

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

    /// The number of holders that keep the scope in force, for texts.
    package var holderCount: Int {
        guard let node else { return 0 }
        let lines = node.pointee.lines
        lines.lock(.every)
        defer { lines.unlock(.every) }
        let handles = node.pointee.handles.load(ordering: .acquiring)
        let byHandles = handles.map { handles in
            (0..<Lines.count).reduce(0) {
                $0 + (handles[$1].load(ordering: .acquiring)?.takeUnretainedValue().holders ?? 0)
            }
        }
        let anchors = Int(node.pointee.anchors.load(ordering: .sequentiallyConsistent))
        return (byHandles ?? 0) + anchors + (Lending.isLent(by: node) ? 1 : 0)
    }

    /// Releases a held parent, if the scope is no longer in force.
    @inline(__always)
    func releaseHeldParent() {
        if node?.pointee.holdsParent.load(ordering: .sequentiallyConsistent) == true {
            releaseHeldParentIfIdle()  // fault: held-parent-released
        }
    }

    @inline(never)
    private func releaseHeldParentIfIdle() {
        guard let node, let rare else { return }
        // One step with the test: otherwise another parent could be held meanwhile for new holders.
        let released = rare.state.withLock { state -> Unmanaged<Anchor>? in
            if isInForce(node) { return nil }  // fault: held-parent-in-force
            node.pointee.holdsParent.store(false, ordering: .sequentiallyConsistent)
            return state.exchangeHeldParent(nil)
        }
        if let released { ThreadState.letGo(of: released) }
    }

    /// Whether the scope is in force: entered, or kept as a part of a chain; the caller holds no line.
    func isInForce(_ node: NodePointer) -> Bool {
        let lines = node.pointee.lines
        lines.lock(.every)
        defer { lines.unlock(.every) }
        if Lending.isLent(by: node) || node.pointee.anchors.load(ordering: .sequentiallyConsistent) > 0 { return true }
        guard let handles = node.pointee.handles.load(ordering: .acquiring) else { return false }
        return (0..<Lines.count).contains { line in
            handles[line].load(ordering: .acquiring)?._withUnsafeGuaranteedRef { $0.isHeld } == true
        }
    }
}
