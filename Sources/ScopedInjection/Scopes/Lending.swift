/// The anchors that threads lend to code that enters a scope.
///
/// A thread keeps two that nobody uses any more, so a request makes no anchor of its own, neither for its configuration nor for its
/// operation.
enum Lending {
    // Anchors are passed as unmanaged, because each borrower would otherwise retain and release its anchor twice more.

    /// An anchor for a body that begins in a scope, to be given back; the borrower keeps the scope alive.
    ///
    /// - Parameter isParentKept: Whether the borrower itself keeps the parent that the scope was made with.
    @inline(__always)
    static func borrow(of scope: EnvironmentScope, isParentKept: Bool = false) -> Borrowed<Anchor> {
        let anchor = take(for: scope)
        anchor.with { $0.keep(KeptChain(outside: scope.node, isParentKept: isParentKept, body: anchor)) }
        return anchor
    }

    /// The same for a new scope, which nothing else refers to yet; the borrower keeps its parent alive.
    @inline(__always)
    static func borrowFirst(of scope: EnvironmentScope, _ node: NodePointer) -> Borrowed<Anchor> {
        let anchor = take(for: scope)
        anchor.with { $0.keep(KeptChain(outsideNew: node, body: anchor)) }
        return anchor
    }

    /// The same for a body whose borrower keeps the whole chain in force.
    static func borrow(ofKept scope: EnvironmentScope) -> Borrowed<Anchor> {
        let anchor = take(for: scope)
        let line = scope.node.startReading()
        anchor.with { $0.begin(line) }
        scope.node.finishReading(line)
        return anchor
    }

    @inline(__always)
    private static func take(for scope: EnvironmentScope) -> Borrowed<Anchor> {
        let thread = ThreadState.current
        guard let spare = thread.pointee.spareAnchors.0.take() ?? thread.pointee.spareAnchors.1.take() else {
            return .retaining(Anchor(lentBy: .init(scope)))
        }
        let anchor = Borrowed.retaining(spare)
        anchor.with { $0.reuse(for: .init(scope)) }
        return anchor
    }

    /// Takes a borrowed anchor back, whose body has returned.
    @inline(__always)
    static func giveBack(_ anchor: Borrowed<Anchor>) {
        guard anchor.isUniquelyReferenced else {
            // A task or a closure still refers to it.
            anchor.with {
                $0.becomeOwner()
                $0.leave()
            }
            return anchor.release()
        }
        anchor.with { $0.leaveAll() }
        let thread = ThreadState.current
        if thread.pointee.spareAnchors.0 != nil { thread.pointee.spareAnchors.1 = thread.pointee.spareAnchors.0.take() }
        thread.pointee.spareAnchors.0 = anchor.take()
    }
}
