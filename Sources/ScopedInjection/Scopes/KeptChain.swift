import Synchronization

/// Keeps the ancestors of a scope alive while the scope is in force.
///
/// It holds the handle of the parent, that holds the next one outwards, and so on: what is entered below a scope in force finds all
/// but one of them held.
struct KeptChain: ~Copyable {
    private var first: Borrowed<Handle>?

    /// Makes a kept chain that keeps nothing.
    @inline(__always)
    init() {}

    /// Keeps every ancestor of a scope alive; the caller keeps that scope, and holds no line.
    ///
    /// The global scope is left out, because a scope that is made under it follows whichever scope is global.
    ///
    /// - Parameter isParentKept: Whether the caller itself keeps the parent that the scope was made with.
    @inline(__always)
    init(outside node: NodePointer, isParentKept: Bool = false) {
        var (innermost, isKept, last) = (node, isParentKept, first)
        while true {
            var missing: EnvironmentScope?
            let line = node.startReading()
            // Another thread of the line may go on for this one meanwhile.
            while last?.outer == nil, let up = innermost.pointee.up, let (next, handle) = Self.step(up, line) {
                guard let handle else {
                    missing = up.aliveScope
                    break
                }
                guard handle.with({ $0.retain(isKept: isKept) }) else { break }
                if let last { last.outer = handle } else { first = handle }
                (innermost, isKept, last) = (next, false, handle)
            }
            finishRetaining()
            node.pointee.lines.unlock(line)
            guard let missing else { return }
            // This makes the handle on this line by which the scope can be kept.
            _ = Links.handle(of: missing.node, line)
        }
    }

    /// Keeps every ancestor of a new scope alive, which nothing else refers to yet; the caller keeps the parent, and
    /// holds no line.
    @inline(__always)
    init(outsideNew node: NodePointer) {
        // No line is needed to look at a new scope.
        let isKept = node.pointee.up?.with { $0.kind != .global } ?? false
        if isKept { self.init(outside: node, isParentKept: true) } else { self.init() }
    }

    /// The next node outwards, with its handle on this line, or nil for the handle if there is none yet.
    @inline(__always)
    private static func step(_ up: Borrowed<Handle>, _ line: Int) -> (NodePointer, Borrowed<Handle>?)? {
        up.with { up in
            guard up.kind != .global, let node = up.node else { return nil }
            return (node, node.handle(on: line))
        }
    }

    /// The caller holds no line.
    deinit {
        var next = first
        while let handle = next { next = Self.release(handle) }
    }

    /// Returns the next handle, if it has to be released too.
    private static func release(_ handle: Borrowed<Handle>) -> Borrowed<Handle>? {
        let lines = Lines.shared
        let line = handle.line
        lines.lock(line)
        // A scope that the caller itself keeps is not retained by the handle.
        let (scope, outer) = handle.with { $0.release() }
        finishRetaining()
        lines.unlock(line)
        scope?.release()
        return outer
    }
}
