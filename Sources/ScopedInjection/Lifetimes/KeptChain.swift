import Synchronization

/// Keeps alive what lies outside a scope that is in force.
struct KeptChain: ~Copyable {
    private var first: Unmanaged<Handle>?
    /// Those further out than the first; few chains have any.
    private var others: [Unmanaged<Handle>] = []

    /// Keeps nothing.
    init() { first = nil }

    /// Keeps every scope outside one that the caller keeps alive, under no line.
    ///
    /// The global scope is left out: a scope made under it follows whichever one that is.
    init(outside node: NodePointer) {
        first = nil
        var innermost = node
        while extend(&innermost) {}
    }

    var isEmpty: Bool { first == nil }

    /// Keeps what lies outside `node`, the last scope that is kept so far; true where the way goes on.
    private mutating func extend(_ node: inout NodePointer) -> Bool {
        let lines = node.pointee.lines
        let line = Lines.ofThread()
        var missing: EnvironmentScope?
        lines.lock(line)
        while let up = node.pointee.up {
            guard let step = Self.step(up, line) else { break }
            guard let handle = step.handle else {
                missing = step.scope
                break
            }
            guard handle._withUnsafeGuaranteedRef({ $0.retain() }) else { break }
            if first == nil { first = handle } else { others.append(handle) }
            node = step.node
        }
        finishRetaining()
        lines.unlock(line)
        guard let scope = missing, let node = scope.node else { return false }
        // Now the scope has a handle on this line, by which it can be kept.
        _ = Links.handle(of: node, line)
        return true
    }

    /// The next scope outwards, with its handle of this line, or the scope itself where it has none yet.
    private static func step(
        _ up: Unmanaged<Handle>,
        _ line: Int
    ) -> (node: NodePointer, handle: Unmanaged<Handle>?, scope: EnvironmentScope?)? {
        guard let (node, kind) = up._withUnsafeGuaranteedRef({ up in up.reached.map { ($0, up.kind) } }), kind != .global
        else { return nil }
        if let handle = node.pointee.handles.load(ordering: .acquiring)?[line].load(ordering: .acquiring) {
            return (node, handle, nil)
        }
        return up._withUnsafeGuaranteedRef { up in up.target.map { (node, nil, $0) } }
    }

    /// Gives back all that is kept, under no line.
    deinit {
        guard let first else { return }
        Self.release(first)
        for handle in others { Self.release(handle) }
    }

    private static func release(_ handle: Unmanaged<Handle>) {
        let lines = Lines.shared
        let line = handle._withUnsafeGuaranteedRef { $0.line }
        lines.lock(line)
        let scope = handle._withUnsafeGuaranteedRef { $0.release() }
        finishRetaining()
        lines.unlock(line)
        scope?.releaseHeldParent()
        withExtendedLifetime(scope) {}
    }
}

extension NodePointer {
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
