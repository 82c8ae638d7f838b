import Synchronization

/// The anchor that a scope lends to code that enters it.
///
/// A scope takes the anchor that the last request on its thread has left, or makes one, when it is first entered. It
/// keeps the anchor for the next time. So a request makes no anchor of its own, neither for its configuration nor for
/// its operation.
enum Lending {
    private static let notMade: UInt = 0
    private static let isLent: UInt = 1

    // Anchors are passed as unmanaged, because each borrower would otherwise retain and release its anchor twice more.

    /// The scope's own anchor, or a new one if that is lent already; to be given back.
    ///
    /// - Parameter isParentKept: Whether the borrower itself keeps the parent that the scope was made with.
    @inline(__always)
    static func borrow(of scope: EnvironmentScope, isParentKept: Bool = false) -> Unmanaged<Anchor> {
        guard let node = scope.node, let anchor = take(node, scope) else {
            return .passRetained(Anchor(scope, isEntered: true))
        }
        anchor._withUnsafeGuaranteedRef {
            $0.keep(KeptChain(outside: node, isParentKept: isParentKept))  // fault: chain-kept
        }
        return anchor
    }

    /// Lends the anchor of a new scope, which nothing else refers to yet; the borrower keeps its parent alive.
    @inline(__always)
    static func borrowFirst(of scope: EnvironmentScope, _ node: NodePointer) -> Unmanaged<Anchor> {
        node.pointee.lent.store(isLent, ordering: .relaxed)
        let anchor = make(scope, node)
        anchor._withUnsafeGuaranteedRef {
            $0.keep(KeptChain(outsideNew: node))  // fault: configured-chain
        }
        return anchor
    }

    private static func take(_ node: NodePointer, _ scope: EnvironmentScope) -> Unmanaged<Anchor>? {
        guard node.pointee.lent.load(ordering: .relaxed) != isLent else { return nil }
        let address = node.pointee.lent.exchange(isLent, ordering: .sequentiallyConsistent)
        if address == isLent { return nil }
        return UnsafeRawPointer(bitPattern: address).map { .fromOpaque($0) } ?? make(scope, node)
    }

    private static func make(_ scope: EnvironmentScope, _ node: NodePointer) -> Unmanaged<Anchor> {
        guard let spare = node.pointee.lines.take(.anchor, Lines.ofThread()) else {
            return .passRetained(Anchor(lentBy: .passUnretained(scope), node))
        }
        let anchor = Unmanaged<Anchor>.fromOpaque(spare.toOpaque())
        anchor._withUnsafeGuaranteedRef { $0.reuse(for: .passUnretained(scope), node) }
        return anchor
    }

    /// Takes a borrowed anchor back.
    @inline(__always)
    static func giveBack(_ anchor: Unmanaged<Anchor>) {
        guard let node = anchor._withUnsafeGuaranteedRef({ $0.isOwner ? nil : $0.node }) else {
            return anchor.release()
        }
        guard anchor.isUniquelyReferenced else {  // fault: loan-left-behind
            // A task or a closure still refers to it.
            anchor._withUnsafeGuaranteedRef { $0.becomeOwner() }
            node.pointee.lent.store(notMade, ordering: .sequentiallyConsistent)
            // Last, because an anchor that goes looks whether the scope is still in force.
            return anchor.release()
        }
        anchor._withUnsafeGuaranteedRef { $0.keep(KeptChain()) }  // fault: chain-given-back
        node.pointee.lent.store(UInt(bitPattern: anchor.toOpaque()), ordering: .sequentiallyConsistent)
        node.withScope { $0.releaseHeldParent() }
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
