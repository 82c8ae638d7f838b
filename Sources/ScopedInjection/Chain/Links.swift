import Synchronization

/// The handles by which scopes hold their parents.
enum Links {
    /// The handle of a scope on a line; the first call makes it.
    ///
    /// With its first handle the scope becomes shared: it is read under every line, and its changes advance the
    /// epoch. The caller keeps the scope alive, and holds no line.
    @inline(__always)
    static func handle(of node: NodePointer, _ line: Int) -> Unmanaged<Handle> {
        if let handles = node.pointee.handles.load(ordering: .acquiring),
            let handle = handles[line].load(ordering: .acquiring)
        {
            return handle
        }
        return makeHandle(of: node, line)
    }

    @inline(never)
    private static func makeHandle(of node: NodePointer, _ line: Int) -> Unmanaged<Handle> {
        let scope = node.withScope { $0 }
        let lines = node.startWriting()
        defer { node.finishWriting(lines) }
        let handles = share(node)
        if let handle = handles[line].load(ordering: .relaxed) { return handle }
        let held = lines.bits.trailingZeroBitCount
        let number = node.pointee.lines.nextVersion(held)
        let made = Handle(.scope, of: scope, node: node, name: scope.name, number: number, line: line)
        let handle = Unmanaged.passRetained(made)
        handles[line].store(handle, ordering: .releasing)
        return handle
    }

    /// Makes a node shared, with room for its handles, unless it is; the caller has called `startWriting`.
    @discardableResult
    static func share(_ node: NodePointer) -> UnsafeMutablePointer<Atomic<Unmanaged<Handle>?>> {
        if let handles = node.pointee.handles.load(ordering: .relaxed) { return handles }
        let handles = UnsafeMutablePointer<Atomic<Unmanaged<Handle>?>>.allocate(capacity: Lines.count)
        for line in 0..<Lines.count { (handles + line).initialize(to: .init(nil)) }
        node.addReaders(Lines.every)
        node.pointee.handles.store(handles, ordering: .releasing)
        return handles
    }

    /// The handle by which a new child holds its parent, retained; nil for none.
    ///
    /// The caller holds no line.
    @inline(__always)
    static func link(to parent: borrowing EnvironmentScope?, _ line: Int) -> Unmanaged<Handle>? {
        // Not retained, because the caller keeps it alive, and a retain would cost more than the rest.
        guard let parent = (copy parent).map({ Unmanaged.passUnretained($0) }) else { return nil }
        return parent._withUnsafeGuaranteedRef { parent in
            guard let node = parent.node else { return parent.specialLink }
            if GlobalScope.isOf(node) { return GlobalScope.link }  // fault: global-link
            return handle(of: node, line).retain()
        }
    }

    /// Clears the handles of a scope that goes, so that no thread reaches it any more.
    static func cut(_ node: NodePointer) {
        guard let handles = node.pointee.handles.load(ordering: .acquiring) else { return }
        let lines = node.pointee.lines
        assert(Pause.at(Pause.beforeCut))
        lines.lock(.every)
        for line in 0..<Lines.count {
            let handle = handles[line].load(ordering: .relaxed)
            handle?._withUnsafeGuaranteedRef { $0.cut(node.pointee.up) }  // fault: handles-cut
        }
        lines.advanceEpoch()  // fault: parent-going-counted
        lines.unlock(.every)
        for line in 0..<Lines.count { handles[line].load(ordering: .relaxed)?.release() }
        handles.deallocate()
    }

    /// Releases a link; the one of the global scope is immortal.
    @inline(__always)
    static func release(_ link: Unmanaged<Handle>) {
        if link._withUnsafeGuaranteedRef({ $0.kind }) != .global { link.release() }
    }

    /// Held while parents change: two scopes that became each other's parent at once would form an endless chain.
    static let moving = Guarded(())
}

extension EnvironmentScope {
    /// The link to a scope without a node: the global one, or a builder's scope.
    @inline(never)
    fileprivate var specialLink: Unmanaged<Handle> { build?.linkForChildren ?? GlobalScope.link }
}
