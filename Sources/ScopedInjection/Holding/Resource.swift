import Synchronization

/// Whether a deferred value has anything to end.
final class Due: Sendable {
    let isNow = Atomic(false)
}

/// A cleanup that was registered; empty in a resource that has none.
struct Cleanup: Sendable {
    /// What texts call it.
    struct Title {
        /// The value whose builder has registered it; nil for a cleanup of a scope.
        var value: ValueKey?
        /// Where a cleanup of a scope was registered.
        var place: SourcePlace?
    }

    // Not an enum, because that would be copied by its witnesses.
    /// What need not be awaited runs without a task of its own.
    var plain: (@Sendable () throws -> Void)?
    var awaited: (@Sendable () async throws -> Void)?
    var title = Title()
    /// Tells whether it has anything to end, and is kept by what is awaited; nil where it always has.
    var due: Borrowed<Due>?
    var isDue: Bool { due.map { $0.with { $0.isNow.load(ordering: .relaxed) } } ?? true }
}

/// What has to end: a value with cleanups, a cleanup of a scope, or a build, which may register some.
final class Resource: @unchecked Sendable {
    // Sendable because the thread of the build guards it, then the lines of the readers of its node, and, once it was let go
    // of, whoever runs it; what says "line" is guarded by the line in whose list it is.

    // Most have one cleanup and no uses, so an array is made where there are more.
    @exclusivity(unchecked) private var last: Cleanup
    @exclusivity(unchecked) private var earlier: [Cleanup]?
    /// The value that a scope keeps by it, or that is being built.
    @exclusivity(unchecked) var value: ValueKey?
    /// The node in whose list it is.
    @exclusivity(unchecked) var node: NodePointer?
    /// The neighbours in that list: what was added before, and after.
    @exclusivity(unchecked) var older: Borrowed<Resource>?
    @exclusivity(unchecked) var newer: Borrowed<Resource>?
    /// The scope in which the cleanups run, from when it is let go of.
    @exclusivity(unchecked) var scope: EnvironmentScope?

    /// Keeps the chain of that scope from then on; guarded by the lock of the ends while it is held up.
    ///
    /// It lies behind the scope, and so is released after that, whose own end may need the chain.
    @exclusivity(unchecked) var anchor: Anchor?

    /// The first cleanup to run, for texts, from when it is let go of.
    @exclusivity(unchecked) var title: Cleanup.Title?
    /// When it was let go of.
    @exclusivity(unchecked) var since: Stopwatch?
    /// Whether the scope was observed then.
    @exclusivity(unchecked) var isObserved = false

    /// The version of the kept value, or a number of that kind; 0 as long as nobody needs one.
    @exclusivity(unchecked) var id: UInt64 = 0
    /// The ids of the values with cleanups that it was built from; line.
    var uses: [UInt64] { used ?? [] }
    @exclusivity(unchecked) private var used: [UInt64]?
    /// Whether something that it was built from was let go of, and waits for its end; line.
    @exclusivity(unchecked) var isAwaited = false
    /// The line in whose list it is; nil for none.
    @exclusivity(unchecked) private(set) var line: Int?
    @exclusivity(unchecked) private(set) var nextOnLine: Borrowed<Resource>?
    @exclusivity(unchecked) private var previousOnLine: Borrowed<Resource>?

    init(_ cleanup: consuming Cleanup = Cleanup(), of value: ValueKey? = nil) {
        isPlain = cleanup.awaited == nil
        last = consume cleanup
        self.value = value
    }

    // MARK: Cleanups

    var hasCleanups: Bool { last.plain != nil || last.awaited != nil }
    /// Whether none of them has to be awaited.
    @exclusivity(unchecked) private(set) var isPlain: Bool
    /// The cleanup that runs next, if it has to be awaited, without a copy of the rest.
    var nextAwaited: (@Sendable () async throws -> Void)? { last.awaited }
    var nextTitle: Cleanup.Title { last.title }
    var nextIsDue: Bool { last.isDue }
    /// Whether any of them has anything to end; nobody runs them.
    var isDue: Bool { last.isDue || earlier?.contains(where: \.isDue) == true }

    /// Adds a cleanup, which runs before those that are there.
    func add(_ cleanup: consuming Cleanup) {
        if cleanup.awaited != nil { isPlain = false }
        if hasCleanups { earlier = (earlier.take() ?? []) + [last] }
        last = consume cleanup
    }

    /// Takes over all cleanups of another one.
    func takeCleanups(of other: Resource) {
        for cleanup in other.earlier ?? [] { add(cleanup) }
        if other.hasCleanups { add(other.last) }
        (other.last, other.earlier, other.isPlain) = (Cleanup(), nil, true)
    }

    /// Notes what others may want to know while the cleanups run.
    func noteBegin(isObserved: Bool) { (title, self.isObserved) = (last.title, isObserved) }

    /// Takes the cleanup that runs next, if it need not be awaited, for whoever runs it; its title stays until it is dropped.
    func takePlain() -> (@Sendable () throws -> Void)? { last.plain.take() }

    /// Drops the cleanup that runs next, which has run.
    func dropNext() {
        if let next = earlier?.popLast() { last = next } else { (last.awaited, last.due) = (nil, nil) }
    }

    // MARK: What it was built from; the caller holds the line, which is that of a reader of its node

    /// Notes values that it was built from, and lets them find it.
    func use(_ ids: some Sequence<UInt64>, _ line: Int) {
        var used = used.take() ?? []
        for id in ids where !used.contains(id) { used.append(id) }
        self.used = used
        if self.line != nil || used.isEmpty { return }
        let first = Lines.shared.resources(line)
        (self.line, nextOnLine) = (line, first)
        first?.with { $0.previousOnLine = Borrowed(self) }
        Lines.shared.setResources(Borrowed(self), line)
    }

    /// Lets nothing find it any more, because it has ended.
    func leaveLine() {
        guard let line else { return }
        if let previousOnLine {
            previousOnLine.with { $0.nextOnLine = nextOnLine }
        } else {
            Lines.shared.setResources(nextOnLine, line)
        }
        nextOnLine?.with { $0.previousOnLine = previousOnLine }
        (self.line, nextOnLine, previousOnLine, isAwaited) = (nil, nil, nil, false)
        used?.removeAll(keepingCapacity: true)
    }

    /// Its number, for whoever waits for it.
    func makeID(_ line: Int) -> UInt64 {
        if id == 0 { id = Lines.shared.nextVersion(line) }
        return id
    }
}
