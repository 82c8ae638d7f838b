import Synchronization

extension EnvironmentScope {
    /// Gives the scope, which has a node, another parent, or none.
    func setParent(_ newValue: EnvironmentScope?) {
        guard let node else { return }
        let parent = newValue?.target
        let link = Links.link(to: newValue, Lines.ofThread())
        // Made and released outside the lock, because it may be the last owner of the parent.
        let isGlobal = link.map { $0.takeUnretainedValue().kind == .global } ?? true
        let anchor = isGlobal ? nil : parent.map { Anchor($0) }
        var old: Unmanaged<Handle>?
        // Both at one moment, or of two moves that link first and hold last might not be the same.
        let released = Links.moving.withLock { _ in
            check(parent, node)
            old = exchange(link, node)
            return holdIfInForce(anchor, node)  // fault: new-parent-held
        }
        if let old { Links.release(old) }
        if let released { ThreadState.letGo(of: released) }
        // The last of those anchors may have gone meanwhile.
        releaseHeldParent()
    }

    /// Replaces the link, and returns the old one; the keys that the scope decides on get the bits that they need now.
    private func exchange(_ link: Unmanaged<Handle>?, _ node: NodePointer) -> Unmanaged<Handle>? {
        let lines = node.pointee.lines
        lines.lock(.every)
        defer { lines.unlock(.every) }
        // A value that is kept here may have been built without what a closed scope refused.
        var isKeeper = false
        node.forEachSlot { slot in
            if slot.pointee.cell?.isSet == false { isKeeper = true }
            guard slot.pointee.decides, let key = slot.pointee.key else { return }
            ValueKey.at(key).assignBit(whileHolding: lines)  // fault: moved-bits
        }
        node.countDecisions()  // fault: moved-bits-given
        let old = node.pointee.up
        node.pointee.up = link
        if node.isShared || isKeeper { lines.noteMove() } else { node.noteChange() }  // fault: moved-counted
        return old
    }

    /// Keeps the new parent alive for anchors that exist already; later ones keep it themselves.
    ///
    /// - Returns: The one that was held before, to be let go of.
    private func holdIfInForce(_ anchor: Anchor?, _ node: NodePointer) -> Unmanaged<Anchor>? {
        // An anchor that is made from now on keeps the new parent itself.
        guard rare != nil || isInForce else { return nil }
        return makeRare().state.withLock { state in
            let isInForce = self.isInForce
            node.pointee.holdsParent.store(isInForce, ordering: .sequentiallyConsistent)
            return state.exchangeHeldParent(isInForce ? anchor : nil)
        }
    }

    private func check(_ parent: EnvironmentScope?, _ node: NodePointer) {
        if let parent, let from = parent.node, from.isBelow(node) { endProgram(asParent: parent) }
        if isGlobal, parent != nil {
            ScopeError(
                .invalid,
                detail: "The global scope cannot have a parent.",
                advice: "put a scope of yours in its place (EnvironmentScope.global = …), or below it."
            ).endProgram()
        }
    }

    private func endProgram(asParent parent: EnvironmentScope) -> Never {
        let isSelf = parent === self
        let (name, parentName) = (displayName, parent.displayName)
        ScopeError(
            .invalid,
            detail: isSelf
                ? "\(name) cannot be its own parent."
                : "\(parentName) lies below \(name) already, so it cannot be the parent of \(name).",
            advice: isSelf ? nil : "give \(parentName) another parent first, or none."
        ).endProgram()
    }
}
