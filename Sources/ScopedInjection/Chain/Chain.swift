extension EnvironmentScope {
    /// The scope that this one stands for, or the scope itself; nil if a builder's scope outlived the keeper.
    var target: EnvironmentScope? {
        if node != nil { return self }
        guard let build else { return GlobalScope.current }
        return build.standing?.scope
    }

    /// The next scope outwards, of a scope with a node; nil if there is none or it is gone.
    var nextScope: EnvironmentScope? {
        guard let link = node?.link else { return nil }
        return link.kind == .global ? GlobalScope.current : link.target
    }

    /// The scope and its ancestors, as far as they are alive; the scope has a node.
    var chain: [EnvironmentScope] {
        var scopes = [self]
        while let next = scopes[scopes.count - 1].nextScope { scopes.append(next) }
        return scopes
    }
}

extension NodePointer {
    /// The link to the parent; the caller holds no line.
    var link: Handle? { whileReading { pointee.up?.takeUnretainedValue() } }

    /// Whether the other node is this one, or lies further out.
    func isBelow(_ other: NodePointer) -> Bool { whileReading { chain.contains(other) } }

    /// The node and its ancestors, as far as they are alive; the caller holds a line.
    var chain: some Sequence<NodePointer> { sequence(first: self) { $0.next } }

    /// The node at a level; the caller holds a line.
    func outwards(_ level: Int32) -> NodePointer? { chain.dropFirst(Int(level)).first { _ in true } }
}
