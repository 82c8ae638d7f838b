import Synchronization

/// The anchor that a scope lends to code that enters it.
///
/// A scope takes the anchor that the last request on its thread has left, or makes one, when it is first entered. It
/// keeps the anchor for the next time. So a request makes no anchor of its own, neither for its configuration nor for
/// its operation.
enum Lending {
    private static let notMade: UInt = 0
    private static let isLent: UInt = 1
    /// The same, and somebody waits until the borrower leaves.
    private static let isLentAndAwaited: UInt = 2

    // Anchors are passed as unmanaged, because each borrower would otherwise retain and release its anchor twice more.

    /// The scope's own anchor, or a new one if that is lent already; to be given back.
    ///
    /// - Parameter isParentKept: Whether the borrower itself keeps the parent that the scope was made with.
    @inline(__always)
    static func borrow(of scope: EnvironmentScope, isParentKept: Bool = false) -> Borrowed<Anchor> {
        let node = scope.node
        guard let anchor = take(node, scope) else { return .retaining(Anchor(scope)) }
        anchor.with {
            $0.keep(KeptChain(outside: node, isParentKept: isParentKept))
        }
        return anchor
    }

    /// Lends the anchor of a new scope, which nothing else refers to yet; the borrower keeps its parent alive.
    @inline(__always)
    static func borrowFirst(of scope: EnvironmentScope, _ node: NodePointer) -> Borrowed<Anchor> {
        node.pointee.lent.store(isLent, ordering: .relaxed)
        let anchor = make(scope, node)
        anchor.with {
            $0.keep(KeptChain(outsideNew: node))
        }
        return anchor
    }

    private static func take(_ node: NodePointer, _ scope: EnvironmentScope) -> Borrowed<Anchor>? {
        let address = node.pointee.lent.load(ordering: .relaxed)
        if address == isLent || address == isLentAndAwaited { return nil }
        let (isMine, _) = node.pointee.lent.compareExchange(
            expected: address,
            desired: isLent,
            ordering: .sequentiallyConsistent
        )
        if !isMine { return nil }
        return UnsafeRawPointer(bitPattern: address).map { Borrowed(at: $0) } ?? make(scope, node)
    }

    private static func make(_ scope: EnvironmentScope, _ node: NodePointer) -> Borrowed<Anchor> {
        let thread = ThreadState.current
        guard let spare = thread.pointee.spareAnchors.0.take() ?? thread.pointee.spareAnchors.1.take() else {
            return .retaining(Anchor(lentBy: .init(scope)))
        }
        let anchor = Borrowed.retaining(spare)
        anchor.with { $0.reuse(for: .init(scope)) }
        return anchor
    }

    /// Takes a borrowed anchor back.
    @inline(__always)
    static func giveBack(_ anchor: Borrowed<Anchor>) {
        guard let node = anchor.with({ $0.isOwner ? nil : $0.node }) else {
            return anchor.release()
        }
        guard anchor.isUniquelyReferenced else {
            // A task or a closure still refers to it.
            anchor.with { $0.becomeOwner() }
            leave(node, as: notMade)
            return anchor.release()
        }
        anchor.with { $0.keep(KeptChain()) }
        leave(node, as: UInt(bitPattern: anchor.address))
    }

    @inline(__always)
    private static func leave(_ node: NodePointer, as state: UInt) {
        if node.pointee.lent.exchange(state, ordering: .sequentiallyConsistent) == isLentAndAwaited {
            tellOfLeaving(node)
        }
    }

    @inline(never)
    private static func tellOfLeaving(_ node: NodePointer) {
        let (scope, whenLeft) = node.whileReading { (node.withScope { $0 }, node.extras?.whenLeft) }
        whenLeft?(scope)
    }

    /// Whether a body runs in a scope, whose `whenLeft` is called when it has left; the caller has called `startWriting`.
    static func waitForLeaving(_ node: NodePointer) -> Bool {
        let (_, state) = node.pointee.lent.compareExchange(
            expected: isLent,
            desired: isLentAndAwaited,
            ordering: .sequentiallyConsistent
        )
        return state == isLent || state == isLentAndAwaited
    }

    /// Leaves the anchor of a scope that goes to the next scope on this thread.
    static func leave(_ node: NodePointer) {
        let address = node.pointee.lent.load(ordering: .acquiring)
        guard address != isLent, address != isLentAndAwaited, let anchor = UnsafeRawPointer(bitPattern: address) else {
            return
        }
        let thread = ThreadState.current
        thread.pointee.spareAnchors.1 = thread.pointee.spareAnchors.0.take()
        thread.pointee.spareAnchors.0 = Borrowed<Anchor>(at: anchor).take()
    }
}
