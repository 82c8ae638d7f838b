import Synchronization

/// Keeps the ancestors of a scope alive while the scope is in force.
struct KeptChain: ~Copyable {
    private var first: Borrowed<Handle>?
    private var second: Borrowed<Handle>?
    /// The handles further out; few chains have any, and an empty array would be counted too.
    private var others: [Borrowed<Handle>]?

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
        var (innermost, isKept) = (node, isParentKept)
        while true {
            var missing: EnvironmentScope?
            let line = node.startReading()
            while let up = innermost.pointee.up, let (next, handle) = Self.step(up, line) {
                guard let handle else {
                    missing = up.aliveScope
                    break
                }
                guard handle.with({ $0.retain(isKept: isKept) }) else { break }
                add(handle)
                (innermost, isKept) = (next, false)
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

    @inline(__always)
    private mutating func add(_ handle: Borrowed<Handle>) {
        if first == nil { first = handle } else if second == nil { second = handle } else { addFurther(handle) }
    }

    @inline(never)
    private mutating func addFurther(_ handle: Borrowed<Handle>) {
        // In place: a chain of 64 scopes would be copied 62 times.
        if others == nil { others = [] }
        others?.append(handle)
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
        if let first { Self.release(first) }
        if let second { Self.release(second) }
        if let others { for handle in others { Self.release(handle) } }
    }

    private static func release(_ handle: Borrowed<Handle>) {
        let lines = Lines.shared
        let line = handle.line
        lines.lock(line)
        // A scope that the caller itself keeps is not retained by the handle.
        let scope = handle.with { $0.release() }
        finishRetaining()
        lines.unlock(line)
        scope?.release()
    }
}
