extension EnvironmentScope {
    /// The scope this one stands for; nil where the scope that kept a builder's value is gone.
    var target: EnvironmentScope? {
        if node != nil { return self }
        guard let build else { return .global }
        if build.isRunning(on: ThreadState.current) { return build.asking.withScope { $0 } }
        return build.handleOfStandIn()?.target
    }

    /// The scope one step outwards, of a scope that stands for itself; nil where there is none and where it is gone.
    var nextScope: EnvironmentScope? {
        guard let node else { return nil }
        guard let link = node.link else { return nil }
        return link.kind == .global ? .global : link.target
    }

    /// The scope and those outside it, as far as they are alive; of a scope that stands for itself.
    var chain: [EnvironmentScope] {
        var scopes = [self]
        while let next = scopes[scopes.count - 1].nextScope { scopes.append(next) }
        return scopes
    }
}

extension NodePointer {
    /// The link to the parent; under no line.
    var link: Handle? {
        let line = startReading()
        defer { finishReading(line) }
        return pointee.up?.takeUnretainedValue()
    }

    /// Whether a scope is this one, or lies further out.
    func isBelow(_ other: NodePointer) -> Bool {
        let line = startReading()
        defer { finishReading(line) }
        return chain.contains(other)
    }

    /// The node and those outside it, as far as they are alive; while a line is held.
    var chain: some Sequence<NodePointer> { sequence(first: self) { $0.next } }

    /// The node that many scopes further out; while a line is held.
    func outwards(_ level: Int32) -> NodePointer? { chain.dropFirst(Int(level)).first { _ in true } }
}
