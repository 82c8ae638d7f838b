import Synchronization

/// The anchor that a scope lends to code that enters it.
///
/// A scope takes the anchor that the last request on its thread has left, or makes one, when it is first entered. It
/// keeps the anchor for the next time. So a request makes no anchor of its own, neither for its configuration nor for
/// its operation.
enum Lending {
    private static let notMade: UInt = 0
    private static let isLent: UInt = 1

    /// The scope's own anchor, or a new one if that is lent already.
    @inline(__always)
    static func borrow(of scope: EnvironmentScope) -> Anchor {
        guard let node = scope.node else { return Anchor(scope) }
        guard let anchor = take(node, scope) else { return Anchor(scope) }
        anchor.keep(KeptChain(outside: node))  // fault: chain-kept
        return anchor
    }

    /// Lends the anchor of a new scope, which nothing else refers to yet.
    ///
    /// - Parameter isChainHeld: Whether the borrower itself keeps the whole chain alive.
    @inline(__always)
    static func borrowFirst(of scope: EnvironmentScope, _ node: NodePointer, isChainHeld: Bool) -> Anchor {
        node.pointee.lent.store(isLent, ordering: .relaxed)
        let anchor = make(scope, node)
        if !isChainHeld { anchor.keep(KeptChain(outside: node)) }
        return anchor
    }

    private static func take(_ node: NodePointer, _ scope: EnvironmentScope) -> Anchor? {
        guard node.pointee.lent.load(ordering: .relaxed) != isLent else { return nil }
        let address = node.pointee.lent.exchange(isLent, ordering: .sequentiallyConsistent)
        if address == isLent { return nil }
        guard let anchor = UnsafeRawPointer(bitPattern: address) else { return make(scope, node) }
        return Unmanaged<Anchor>.fromOpaque(anchor).takeRetainedValue()
    }

    private static func make(_ scope: EnvironmentScope, _ node: NodePointer) -> Anchor {
        guard let spare = node.pointee.lines.take(.anchor, Lines.ofThread()) else {
            return Anchor(lentBy: .passUnretained(scope), node)
        }
        let anchor = unsafeDowncast(spare.takeRetainedValue(), to: Anchor.self)
        anchor.reuse(for: .passUnretained(scope), node)
        return anchor
    }

    /// Gives a borrowed anchor back.
    @inline(__always)
    static func giveBack(_ anchor: consuming Anchor) {
        var anchor = consume anchor
        guard !anchor.isOwner, let node = anchor.node else { return }
        guard isKnownUniquelyReferenced(&anchor) else {  // fault: loan-left-behind
            // A task or a closure still refers to it.
            anchor.becomeOwner()
            node.pointee.lent.store(notMade, ordering: .sequentiallyConsistent)
            return
        }
        anchor.keep(KeptChain())  // fault: chain-given-back
        let scope = anchor.scope
        let address = UInt(bitPattern: Unmanaged.passRetained(consume anchor).toOpaque())
        node.pointee.lent.store(address, ordering: .sequentiallyConsistent)
        scope.releaseHeldParent()
    }

    /// Whether the scope's anchor is lent, because code has entered the scope.
    static func isLent(by node: NodePointer) -> Bool {
        node.pointee.lent.load(ordering: .sequentiallyConsistent) == isLent
    }

    /// Leaves the anchor of a scope that goes to the next scope on this thread.
    static func leave(_ node: NodePointer) {
        let address = node.pointee.lent.load(ordering: .acquiring)
        guard address != isLent, let anchor = UnsafeRawPointer(bitPattern: address) else { return }
        node.pointee.lines.put(.fromOpaque(anchor), as: .anchor, Lines.ofThread())?.release()
    }
}
