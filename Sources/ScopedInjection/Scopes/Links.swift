import Synchronization

/// The handles by which scopes hold their parents.
enum Links {
    /// The handle of a scope on a line; the first call makes it.
    ///
    /// The caller keeps the scope alive, and holds no line.
    @inline(__always)
    static func handle(of node: NodePointer, _ line: Int) -> Borrowed<Handle> {
        node.handle(on: line) ?? makeHandle(of: node, line)
    }

    @inline(never)
    private static func makeHandle(of node: NodePointer, _ line: Int) -> Borrowed<Handle> {
        let lines = node.startWriting()
        defer { node.finishWriting(lines) }
        if let handle = node.handle(on: line) { return handle }
        let handle = node.withScope { Borrowed.retaining(Handle(.scope, of: $0, node: node, line: line)) }
        if node.anyHandle == nil {
            node.pointee.handle.store(handle, ordering: .releasing)
        } else {
            makeTable(of: node)[line].store(handle, ordering: .releasing)
        }
        return handle
    }

    private static func makeTable(of node: NodePointer) -> UnsafeMutablePointer<Atomic<Borrowed<Handle>?>> {
        if let table = node.pointee.handles.load(ordering: .relaxed) { return table }
        let table = UnsafeMutablePointer<Atomic<Borrowed<Handle>?>>.allocate(capacity: Lines.count)
        for line in 0..<Lines.count { (table + line).initialize(to: .init(nil)) }
        node.pointee.handles.store(table, ordering: .releasing)
        return table
    }

    /// A handle of the scope at a level, which may go meanwhile; the caller keeps the first scope alive, and holds no line.
    static func handle(from node: NodePointer, at level: Int32) -> Handle? {
        if level == 0 { return handle(of: node, Lines.shared.ofThread()).object }
        return node.whileReading { node.outwards(level)?.anyHandle?.object }
    }

    /// The handle by which a new child holds its parent, retained; nil for none.
    ///
    /// The thread of the line becomes a reader of the parent. The caller holds no line.
    @inline(__always)
    static func link(to parent: borrowing EnvironmentScope?, _ line: Int) -> Borrowed<Handle>? {
        // Not retained, because the caller keeps it alive, and a retain would cost more than the rest.
        guard let parent = (copy parent).map({ Borrowed($0) }) else { return nil }
        return parent.with { parent in
            let node = parent.node
            // What is made below an application goes on to be that application's.
            return GlobalScope.isOf(node) && node.pointee.role == nil ? GlobalScope.link : ownLink(to: node, line)
        }
    }

    /// The same, also of the global scope, which another one may replace; the caller keeps the scope alive.
    @inline(__always)
    static func ownLink(to node: NodePointer, _ line: Int) -> Borrowed<Handle> {
        if !node.hasReaders(Lines.bit(line)) { node.addReaders(Lines.bit(line)) }
        return handle(of: node, line).retain()
    }

    /// Clears the handles of a scope that goes, so that no thread reaches it any more.
    static func cut(_ node: NodePointer) {
        guard node.anyHandle != nil else { return }
        node.whileWriting {
            let sum = node.sum
            node.forEachHandle { $0.with { $0.lead(to: nil, from: sum) } }
        }
        node.forEachHandle { $0.release() }
        node.pointee.handles.load(ordering: .relaxed)?.deallocate()
    }

    /// Releases a link; the one of the global scope is immortal.
    @inline(__always)
    static func release(_ link: Borrowed<Handle>) {
        if link.kind != .global { link.release() }
    }
}

extension UnsafeMutablePointer where Pointee == Node {
    /// Any handle of the scope; nil if nobody has asked for one.
    var anyHandle: Borrowed<Handle>? { pointee.handle.load(ordering: .acquiring) }

    /// The handle on a line, if there is one.
    @inline(__always)
    func handle(on line: Int) -> Borrowed<Handle>? {
        guard let first = anyHandle else { return nil }
        if first.line == line { return first }
        return pointee.handles.load(ordering: .acquiring)?[line].load(ordering: .acquiring)
    }

    /// Whether a body, or something else that keeps the scope in force, may lie further in; the caller has called `startWriting`.
    @inline(__always)
    var isKeptFromFurtherIn: Bool { anyHandle != nil && anyHandleMeets { $0.holders > 0 } }

    /// Whether a scope further in may keep something to end; the caller has called `startWriting`.
    @inline(__always)
    var mayHaveKeepersFurtherIn: Bool {
        anyHandle != nil && anyHandleMeets { $0.keepers != 0 || $0.keepersFurtherIn.load(ordering: .relaxed) != 0 }
    }

    /// Whether one of the handles meets a condition; those of the global scope know nothing of the scopes that were made under it.
    @inline(never)
    private func anyHandleMeets(_ condition: (Handle) -> Bool) -> Bool {
        var isMet = !hasParent && pointee.readers.load(ordering: .relaxed) == .max
        forEachHandle { isMet = $0.with(condition) || isMet }
        return isMet
    }

    /// Whether a scope was made below this one, or something is to find this one; the caller has called `startWriting`.
    var isReferredTo: Bool {
        var isFound = false
        forEachHandle { if !$0.isUniquelyReferenced || $0.holders > 0 { isFound = true } }
        return isFound
    }

    fileprivate func forEachHandle(_ body: (Borrowed<Handle>) -> Void) {
        if let first = anyHandle { body(first) }
        guard let others = pointee.handles.load(ordering: .acquiring) else { return }
        for line in 0..<Lines.count {
            if let handle = others[line].load(ordering: .relaxed) { body(handle) }
        }
    }
}

extension EnvironmentScope {
    /// The next scope outwards; nil if there is none or it is gone.
    var nextScope: EnvironmentScope? {
        guard let link = node.whileReading({ node.pointee.up?.object }) else { return nil }
        let next = link.kind == .global ? GlobalScope.current : link.aliveScope
        return next?.node.inspect({ next?.node.pointee.flags.contains(.part) }) == true ? next?.nextScope : next
    }
}
