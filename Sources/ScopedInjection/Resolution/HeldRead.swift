/// A read that has found its value by walking, or has yet to search for it.
///
/// The line of the thread holds the value in its place until it is copied, so only the copy may come between the walk
/// and the end. For a reference the copy is code of the client, whose compiler knows the type.
@usableFromInline
struct HeldRead {
    /// The value; nil if the walk did not find it, and then no line is held.
    @usableFromInline let address: UnsafeRawPointer?
    /// The node whose lines are held; nil if none is.
    private let node: NodePointer?
    /// The line that is held; without an address, whether a test may watch the scope.
    private let line: Int
    /// Keeps the scope of a reference alive; nil for the global scope.
    private let anchor: Unmanaged<Anchor>?

    /// A read that did not walk.
    static var notStarted: HeldRead { HeldRead(nil) }

    private static let isUnwatched = 0
    private static let isPerhapsWatched = 1

    /// For a read that did not find its value: whether a test may watch the scope.
    var mayBeWatched: Bool { line == Self.isPerhapsWatched }

    @inline(__always)
    private init(_ anchor: Unmanaged<Anchor>?) {
        (address, node, line, self.anchor) = (nil, nil, Self.isPerhapsWatched, anchor)
    }

    /// Walks in the scope of a retained anchor, which `finish` or `searched` releases.
    @inline(__always)
    init<Value>(_ key: TypedKey<Value>, in anchor: Unmanaged<Anchor>) {
        if let node = anchor._withUnsafeGuaranteedRef({ $0.node }) {
            self.init(key, in: node, anchor)
        } else {
            self.init(anchor)
        }
    }

    /// Walks in a scope that the caller keeps alive.
    @inline(__always)
    init<Value>(_ key: TypedKey<Value>, in node: NodePointer, _ anchor: Unmanaged<Anchor>? = nil) {
        guard ThreadState.current.pointee.detours == 0 else {
            self.init(anchor)
            return
        }
        let line = Lines.ofThread()
        node.pointee.lines.lock(line)
        self.init(key, node, node.pointee.lines, line, anchor)
    }

    /// Walks in the global scope, without retaining it.
    @inline(__always)
    init<Value>(inGlobal key: TypedKey<Value>) {
        // The first access makes it, which needs the lines, so it comes before a line is held.
        let link = GlobalScope.link
        self.init(key) { link._withUnsafeGuaranteedRef { $0.node } }
    }

    /// Walks in a scope that is looked up under the line, and that the line keeps alive.
    @inline(__always)
    init<Value>(_ key: TypedKey<Value>, in node: () -> NodePointer?) {
        guard ThreadState.current.pointee.detours == 0 else {
            self.init(nil)
            return
        }
        let (lines, line) = (Lines.shared, Lines.ofThread())
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
        _ anchor: Unmanaged<Anchor>?
    ) {
        // An open gate means that no test watches the scope.
        let isOpen = node?.isOpen(line) == true
        var level: Int32 = 0
        if isOpen, let node, let cell = node.walk(key.address, &level) {
            (address, self.node, self.line, self.anchor) = (cell.address(of: Value.self), node, line, anchor)
        } else {
            lines.unlock(line)
            (address, self.node, self.line) = (nil, nil, isOpen ? Self.isUnwatched : Self.isPerhapsWatched)
            self.anchor = anchor
        }
    }

    /// The value that the walk found, at its place.
    @inlinable
    @inline(__always)
    static func value<Value>(at address: UnsafeRawPointer) -> Value {
        address.assumingMemoryBound(to: Value.self).pointee
    }

    /// Unlocks the line; whoever has retained something calls `finishRetaining` first.
    @inline(__always)
    func unlock() {
        if let node { node.pointee.lines.unlock(line) }
    }

    /// Unlocks the line, and lets go of the anchor.
    ///
    /// It is not inlined: a retain of the value is not moved past a call that may release anything.
    @usableFromInline
    @inline(never)
    func finish() {
        unlock()
        anchor?.release()
    }

    /// The value that the walk did not find; ends the program if there is none.
    func searched<Value>(for key: TypedKey<Value>) -> Value {
        defer { anchor?.release() }
        let scope = anchor.map { $0._withUnsafeGuaranteedRef { $0.heldScope } } ?? GlobalScope.proxy
        return scope._withUnsafeGuaranteedRef { $0.valueOrEnd(key, mayBeWatched: mayBeWatched) }
    }
}
