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
    /// - Parameters:
    ///   - isParentKept: Whether the caller itself keeps the parent that the scope was made with.
    ///   - body: The anchor of code that begins to run in the scope.
    @inline(__always)
    init(outside node: NodePointer, isParentKept: Bool = false, body: Borrowed<Anchor>? = nil) {
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
            if missing == nil, let body { body.with { $0.begin(line) } }
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
    init(outsideNew node: NodePointer, body: Borrowed<Anchor>) {
        // No line is needed to look at a new scope.
        let isKept = node.pointee.up?.with { $0.kind != .global } ?? false
        if isKept {
            self.init(outside: node, isParentKept: true, body: body)
        } else {
            self.init()
            let line = node.startReading()
            body.with { $0.begin(line) }
            node.finishReading(line)
        }
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
    deinit { Self.release(all: first) }

    /// Releases a handle, and those further out that nothing else holds then; the caller holds no line.
    @inline(__always)
    static func release(all first: Borrowed<Handle>?) {
        var next = first
        while let handle = next { next = release(handle) }
    }

    /// Releases what it holds itself; the caller holds its line, and releases what is returned without it.
    @inline(__always)
    mutating func releaseFirst() -> (scope: Borrowed<EnvironmentScope>?, outer: Borrowed<Handle>?) {
        first.take()?.with { $0.release() } ?? (nil, nil)
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
