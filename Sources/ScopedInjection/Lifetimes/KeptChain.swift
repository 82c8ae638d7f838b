import Synchronization

/// Keeps alive what lies outside a scope that is in force.
struct KeptChain: ~Copyable {
    private var first: Unmanaged<Handle>?
    /// Those further out than the first; few chains have any.
    private var others: Others?

    private final class Others {
        var handles: [Unmanaged<Handle>] = []
        deinit { for handle in handles { KeptChain.release(handle) } }
    }

    /// Keeps nothing.
    @inline(__always)
    init() {}

    /// Keeps every scope outside one that the caller keeps alive, under no line.
    ///
    /// The global scope is left out: a scope made under it follows whichever one that is.
    @inline(__always)
    init(outside node: NodePointer) {
        // Mostly there is one scope to keep, which has a handle of this line.
        let lines = node.pointee.lines
        let line = Lines.ofThread()
        lines.lock(line)
        if let up = node.pointee.up, let (parent, handle) = Self.step(up, line), let handle,
            handle._withUnsafeGuaranteedRef({ $0.retain() })
        {
            first = handle
            if parent.isOutermost {
                finishRetaining()
                lines.unlock(line)
                return
            }
        }
        finishRetaining()
        lines.unlock(line)
        extend(from: node)
    }

    var isEmpty: Bool { first == nil }

    /// Keeps what is not kept yet.
    @inline(never)
    private mutating func extend(from node: NodePointer) {
        var innermost = node
        var kept = 0
        var isDone = false
        while !isDone {
            let lines = node.pointee.lines
            let line = Lines.ofThread()
            var missing: EnvironmentScope?
            lines.lock(line)
            if kept == 0, let first, let parent = first._withUnsafeGuaranteedRef({ $0.node }) {
                innermost = parent
                kept = 1
            }
            isDone = true
            while let up = innermost.pointee.up, let (next, handle) = Self.step(up, line) {
                guard let handle else {
                    missing = up._withUnsafeGuaranteedRef { $0.target }
                    break
                }
                guard handle._withUnsafeGuaranteedRef({ $0.retain() }) else { break }
                add(handle)
                kept += 1
                innermost = next
            }
            finishRetaining()
            lines.unlock(line)
            if let missing, let node = missing.node {
                // Now the scope has a handle on this line, by which it can be kept.
                _ = Links.handle(of: node, line)
                isDone = false
            }
        }
    }

    private mutating func add(_ handle: Unmanaged<Handle>) {
        if first == nil {
            first = handle
        } else {
            let others = others ?? Others()
            others.handles.append(handle)
            self.others = others
        }
    }

    /// The next scope outwards, with its handle of this line, or nil where it has none yet.
    @inline(__always)
    private static func step(_ up: Unmanaged<Handle>, _ line: Int) -> (NodePointer, Unmanaged<Handle>?)? {
        up._withUnsafeGuaranteedRef { up in
            guard up.kind != .global, let node = up.reached else { return nil }
            return (node, node.pointee.handles.load(ordering: .acquiring)?[line].load(ordering: .acquiring))
        }
    }

    /// Gives back all that is kept, under no line.
    deinit { if let first { Self.release(first) } }

    private static func release(_ handle: Unmanaged<Handle>) {
        let lines = Lines.shared
        let line = handle._withUnsafeGuaranteedRef { $0.line }
        lines.lock(line)
        let scope = handle._withUnsafeGuaranteedRef { $0.release() }
        finishRetaining()
        lines.unlock(line)
        guard let scope else { return }
        scope._withUnsafeGuaranteedRef { $0.releaseHeldParent() }
        scope.release()
    }
}

extension NodePointer {
    /// Whether nothing has to be kept further out; while a line is held.
    @inline(__always)
    fileprivate var isOutermost: Bool {
        guard let up = pointee.up else { return true }
        return up._withUnsafeGuaranteedRef { $0.kind == .global }
    }

    /// Whether nothing has to be kept further out than the parent, of a scope that nobody else knows of and whose parent
    /// the caller keeps alive.
    @inline(__always)
    var isParentOutermost: Bool {
        guard let up = pointee.up else { return true }
        return up._withUnsafeGuaranteedRef { up in
            guard up.kind == .scope, let node = up.node else { return up.kind == .global }
            guard let outer = node.pointee.up else { return true }
            return outer._withUnsafeGuaranteedRef { $0.kind == .global }
        }
    }
}
