import Synchronization

/// How scopes lie below one another.
enum Links {
    /// The handle of a scope for children that are made, or who enter it, on this line.
    ///
    /// From the first one on the scope is shared: every line may read it, and its changes move the epoch. The caller
    /// keeps the scope alive, and holds no line.
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
        let handles = node.pointee.handles.load(ordering: .relaxed) ?? share(node)
        if let handle = handles[line].load(ordering: .relaxed) { return handle }
        let held = lines.bits.trailingZeroBitCount
        let number = node.pointee.lines.nextVersion(held)
        let made = Handle(.scope, of: scope, node: node, name: scope.name, number: number, line: line)
        let handle = Unmanaged.passRetained(made)
        handles[line].store(handle, ordering: .releasing)
        return handle
    }

    /// Lets every line read a node, and makes room for its handles; while writing.
    private static func share(_ node: NodePointer) -> UnsafeMutablePointer<Atomic<Unmanaged<Handle>?>> {
        let handles = UnsafeMutablePointer<Atomic<Unmanaged<Handle>?>>.allocate(capacity: Lines.count)
        for line in 0..<Lines.count { (handles + line).initialize(to: .init(nil)) }
        node.addReaders(Lines.every)
        node.pointee.handles.store(handles, ordering: .releasing)
        return handles
    }

    /// The handle by which a new child of a scope is to hold it, retained; nil for none.
    ///
    /// Under no line.
    @inline(__always)
    static func link(to parent: borrowing EnvironmentScope?, _ line: Int) -> Unmanaged<Handle>? {
        // The caller keeps it: retaining it would cost more than all that is done with it.
        guard let parent = (copy parent).map({ Unmanaged.passUnretained($0) }) else { return nil }
        return parent._withUnsafeGuaranteedRef { parent in
            guard let node = parent.node else { return parent.specialLink }
            if GlobalScope.isOf(node) { return GlobalScope.link }  // fault: global-link
            return handle(of: node, line).retain()
        }
    }

    /// Lets nobody reach the scope any more, which is going.
    static func cut(_ node: NodePointer) {
        guard let handles = node.pointee.handles.load(ordering: .acquiring) else { return }
        let lines = node.pointee.lines
        lines.lock(.every)
        for line in 0..<Lines.count {
            handles[line].load(ordering: .relaxed)?._withUnsafeGuaranteedRef { $0.node = nil }  // fault: handles-cut
        }
        lines.advanceEpoch()  // fault: parent-going-counted
        lines.unlock(.every)
        for line in 0..<Lines.count { handles[line].load(ordering: .relaxed)?.release() }
        handles.deallocate()
    }

    /// Lets go of a handle that was a link; the one of whichever scope is global is nobody's.
    @inline(__always)
    static func release(_ link: Unmanaged<Handle>) {
        if link._withUnsafeGuaranteedRef({ $0.kind }) != .global { link.release() }
    }

    /// Two scopes that were given each other as parents at once would make a chain without end.
    static let moving = Guarded(())
}

extension EnvironmentScope {
    /// The link to what has no node of its own: the global scope, or what a builder was given.
    @inline(never)
    fileprivate var specialLink: Unmanaged<Handle> { build?.linkForChildren ?? GlobalScope.link }
}
