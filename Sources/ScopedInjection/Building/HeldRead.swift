/// A read that has found its value by walking, or has yet to search for it.
///
/// The line of the thread holds the value in its place until it is copied, so only the copy may come between the walk
/// and the end. For a reference the copy is code of the client, whose compiler knows the type.
@usableFromInline
struct HeldRead {
    /// The value; nil if the walk did not find it, and then no line is held.
    @usableFromInline let address: UnsafeRawPointer?
    private let lines: Lines
    private let line: Int
    /// Keeps the scope of a reference alive; nil for the global scope.
    let anchor: Borrowed<Anchor>?

    /// A read that did not walk.
    init(_ anchor: Borrowed<Anchor>?) { (address, lines, line, self.anchor) = (nil, .shared, 0, anchor) }

    /// Walks in the scope of a retained anchor, which `finish` or the search releases; not for a build.
    @inline(__always)
    init<Value>(_ key: TypedKey<Value>, in anchor: Borrowed<Anchor>) {
        if let node = anchor.node {
            self.init(key, in: node, anchor)
        } else {
            self.init(anchor)
        }
    }

    /// Walks in a scope that the caller keeps alive.
    @inline(__always)
    init<Value>(_ key: TypedKey<Value>, in node: NodePointer, _ anchor: Borrowed<Anchor>? = nil) {
        let lines = node.pointee.lines
        let line = lines.ofThread()
        lines.lock(line)
        self.init(key, node, lines, line, anchor)
    }

    /// Walks in the global scope, without retaining it.
    @inline(__always)
    init<Value>(inGlobal key: TypedKey<Value>) {
        // The first access makes it, which needs the lines, so it comes before a line is held.
        let link = GlobalScope.link
        self.init(key) { link.node }
    }

    /// Walks in a scope that is looked up under the line, and that the line keeps alive.
    @inline(__always)
    init<Value>(_ key: TypedKey<Value>, in node: () -> NodePointer?) {
        let lines = Lines.shared
        let line = lines.ofThread()
        lines.lock(line)
        self.init(key, node(), lines, line, nil)
    }

    /// Walks under a line that is held, and unlocks it if that finds nothing.
    @inline(__always)
    private init<Value>(
        _ key: TypedKey<Value>,
        _ node: NodePointer?,
        _ lines: Lines,
        _ line: Int,
        _ anchor: Borrowed<Anchor>?
    ) {
        var level: Int32 = 0
        if let node, node.isOpen(line), let found = node.walk(key.key, &level) {
            (address, self.lines, self.line, self.anchor) = (found.address(of: Value.self), lines, line, anchor)
        } else {
            lines.unlock(line)
            (address, self.lines, self.line, self.anchor) = (nil, lines, line, anchor)
        }
    }

    /// The value that the walk found, at its place.
    @inlinable
    @inline(__always)
    static func value<Value>(at address: UnsafeRawPointer) -> Value {
        address.assumingMemoryBound(to: Value.self).pointee
    }

    /// Unlocks the line, once the value is copied.
    @inline(__always)
    func unlock() {
        finishRetaining()
        lines.unlock(line)
    }

    /// Unlocks the line, and lets go of the anchor.
    ///
    /// It is not inlined: a retain of the value is not moved past a call that may release anything.
    @usableFromInline
    @inline(never)
    func finish() {
        lines.unlock(line)
        anchor?.release()
    }
}
