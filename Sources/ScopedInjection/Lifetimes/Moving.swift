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
        var isMoved = false
        repeat {
            giveBits(node)
            isMoved = Links.moving.withLock { _ in
                check(parent, node)
                return exchange(link, node, &old)
            }
        } while !isMoved
        if let old { Links.release(old) }
        holdIfInForce(anchor, node)  // fault: new-parent-held
    }

    /// Replaces the link; false if a value was set meanwhile whose key has no bit yet.
    private func exchange(_ link: Unmanaged<Handle>?, _ node: NodePointer, _ old: inout Unmanaged<Handle>?) -> Bool {
        let lines = node.pointee.lines
        lines.lock(.every)
        defer { lines.unlock(.every) }
        var hasBits = true
        node.forEachSlot { slot in
            guard slot.pointee.decides, let key = slot.pointee.key else { return }
            if ValueKey.at(key).bit == 0 { hasBits = false }
        }
        guard hasBits else { return false }  // fault: moved-bits
        // A key may have got its bit since `decides` was computed.
        node.countDecisions()
        old = node.pointee.up
        node.pointee.up = link
        node.noteChange()  // fault: moved-counted
        return true
    }

    /// Keeps the new parent alive for anchors that exist already; later ones keep it themselves.
    private func holdIfInForce(_ anchor: Anchor?, _ node: NodePointer) {
        // An anchor that is made from now on keeps the new parent itself.
        guard rare != nil || isInForce(node) else { return }
        let released = makeRare().state.withLock { state -> Anchor? in
            let isInForce = isInForce(node)
            node.pointee.holdsParent.store(isInForce, ordering: .sequentiallyConsistent)
            defer { state.heldParent = isInForce ? anchor : nil }
            return state.heldParent
        }
        withExtendedLifetime(released) {}
        // The last of those anchors may have gone meanwhile.
        releaseHeldParent()
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

    /// Assigns bits to the keys that a scope decides on, which they need once the scope has a parent.
    private func giveBits(_ node: NodePointer) {
        var keys: [ValueKey] = []
        let line = node.startReading()
        node.forEachSlot { slot in
            if slot.pointee.decides, let key = slot.pointee.key { keys.append(.at(key)) }
        }
        node.finishReading(line)
        for key in keys { _ = key.assignBit() }
        let lines = node.startWriting()
        node.countDecisions()  // fault: moved-bits-given
        node.finishWriting(lines)
    }
}
