import Synchronization

extension EnvironmentScope {
    /// Gives the scope another parent, or none.
    func setParent(_ parent: EnvironmentScope?) {
        // The same one: nothing that is kept here would be another value. One that has become the global scope is followed now.
        let up = node.whileReading { node.pointee.up.map { $0._withUnsafeGuaranteedRef { $0.kind } } }
        if parent === nextScope, parent.map({ $0.isGlobal == (up == .global) }) ?? (up == nil) { return }
        let link = Links.link(to: parent, Lines.shared.ofThread())
        var garbage = Garbage()
        var old: Unmanaged<Handle>?
        Links.moving.withLock { _ in
            check(parent)
            old = exchange(link, &garbage)
        }
        if let old { Links.release(old) }
        letGoAndClean(&garbage)
    }

    /// Replaces the link, and returns the old one; the keys that the scope decides on get the bits that they need now.
    private func exchange(_ link: Unmanaged<Handle>?, _ garbage: inout Garbage) -> Unmanaged<Handle>? {
        let lines = node.pointee.lines
        lines.lock(.every)
        defer { lines.unlock(.every) }
        node.makeRare().moved = Discards.next()
        node.takeKeptForAll(&garbage)
        node.queueCleanups(of: &garbage)
        node.forEachSlot { slot in
            if slot.pointee.decides, let key = slot.pointee.key { ValueKey.at(key).assignBit(whileHolding: lines) }
        }
        node.countDecisions()
        let (old, sum) = (node.pointee.up, node.sum)
        (node.pointee.up, node.pointee.clock) = (link, 0)
        node.pointee.clock = NodePointer.difference(from: sum, to: node.sum)
        if let parent = link?._withUnsafeGuaranteedRef({ $0.node }) {
            parent.addReaders(node.pointee.readers.load(ordering: .relaxed), whileHolding: .every)
            if parent.isWatched { node.noteWatched() }
        }
        return old
    }

    private func check(_ parent: EnvironmentScope?) {
        if let parent, parent.node.whileReading({ parent.node.chain.contains(node) }) {
            ScopeError(
                .invalid,
                detail: parent === self
                    ? "\(displayName) cannot be its own parent."
                    : "\(parent.displayName) lies below \(displayName) already, so it cannot be the parent of \(displayName).",
                advice: parent === self ? nil : "give \(parent.displayName) another parent first, or none."
            ).endProgram()
        }
        if isGlobal, parent != nil {
            ScopeError(
                .invalid,
                detail: "The global scope cannot have a parent.",
                advice: "put a scope of yours in its place (EnvironmentScope.global = …), or below it."
            ).endProgram()
        }
    }
}
