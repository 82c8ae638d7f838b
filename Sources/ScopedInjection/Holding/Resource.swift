import Synchronization

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
}

/// What has to end: a value with cleanups, a cleanup of a scope, or a build, which may register some.
final class Resource: @unchecked Sendable {
    // Sendable because the thread of the build guards it, then the lines of the readers of its node, and, once it was let go
    // of, whoever runs it; the list of what a scope has let go of is guarded by the lock of the ends.

    // Most have one cleanup and no uses, so an array is made where there are more.
    @exclusivity(unchecked) private var last: Cleanup
    @exclusivity(unchecked) private var earlier: [Cleanup]?
    /// The value that a scope keeps by it, or that is being built.
    @exclusivity(unchecked) var value: ValueKey?
    /// The neighbours in that list: what was added before, and after.
    @exclusivity(unchecked) var older: Borrowed<Resource>?
    @exclusivity(unchecked) var newer: Borrowed<Resource>?
    /// The scope in which the cleanups run, from when they begin, or from when that is closed.
    ///
    /// Not before, because a scope that nobody else has may keep what the resource waits for.
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

    /// The version of the kept value; 0 for none.
    @exclusivity(unchecked) var version: UInt64 = 0
    /// What it was built from directly, each once.
    ///
    /// It holds that until it has ended. Not changed after the build.
    @exclusivity(unchecked) private(set) var uses: [Resource] = []
    /// Whether it has ever been kept, and so counts among the users of what it was built from, as long as it is used itself.
    @exclusivity(unchecked) private var isUser = false
    /// The node whose scope has let go of it, until it has ended; that stays as long, taken over if its scope goes.
    @exclusivity(unchecked) var formerKeeper: NodePointer?
    /// Its `Holds`.
    private let word = Atomic(Holds().word)

    init(_ cleanup: consuming Cleanup = Cleanup(), of value: ValueKey? = nil) {
        isPlain = cleanup.awaited == nil
        last = consume cleanup
        self.value = value
    }

    // MARK: Cleanups

    var hasPlain: Bool { last.plain != nil }
    var hasCleanups: Bool { last.plain != nil || last.awaited != nil }
    /// Whether none of them has to be awaited.
    @exclusivity(unchecked) private(set) var isPlain: Bool
    /// The cleanup that runs next, if it has to be awaited, without a copy of the rest.
    var nextAwaited: (@Sendable () async throws -> Void)? { last.awaited }
    var nextTitle: Cleanup.Title { last.title }

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
        if let next = earlier?.popLast() { last = next } else { last.awaited = nil }
    }

    // MARK: Holding

    /// Changes the word of its holders in one step.
    @inline(__always)
    private func change<Result>(_ body: (inout Holds) -> Result) -> Result {
        var known = word.load(ordering: .relaxed)
        while true {
            var holds = Holds(word: known)
            let result = body(&holds)
            if holds.word == known { return result }
            let (isMine, now) = word.weakCompareExchange(
                expected: known,
                desired: holds.word,
                ordering: .acquiringAndReleasing
            )
            if isMine { return result }
            known = now
        }
    }

    private var holds: Holds { Holds(word: word.load(ordering: .acquiring)) }

    /// Whether only its keeper holds it; the caller has called `startWriting` and taken it out, so nobody comes.
    var isUnused: Bool { holds.isHeldOnce }
    /// Whether a scope keeps it, or something uses it that a scope keeps, or a body does.
    var isUsed: Bool { holds.isUsed }
    var isOver: Bool { holds.isOver }
    var hasBegun: Bool { !holds.isHeld }
    /// Whether something that it was built from was let go of.
    var isLate: Bool { !uses.isEmpty && uses.contains { $0.holds.isLetGo } }

    /// Notes what it is built from, and holds that, unless that has begun to end.
    func use(_ other: Resource) {
        if !uses.contains(where: { $0 === other }), other.change({ $0.hold() }) { uses.append(other) }
    }

    /// A body uses it, though it is let go of; its keeper holds it.
    func holdForBodies() {
        _ = change { holds in
            let isHeld = holds.hold()
            assert(isHeld, "a body holds what has begun to end")
            return holds.use()
        }
    }

    /// The last of the bodies has left; whether it may begin.
    func releaseForBodies() -> Bool {
        if change({ $0.unuse() }) { endUsing() }
        return change { $0.release() }
    }

    /// A scope keeps it: it is a user of what it was built from; returns those that nothing has used, though somebody waits for them.
    @discardableResult
    func beginUsing() -> [Resource] {
        if isUser { return [] }
        isUser = true
        var awaited: [Resource] = []
        for other in uses { other.addUse(&awaited) }
        return awaited
    }

    /// Nested as deep only as what was let go of is built from what was.
    private func addUse(_ awaited: inout [Resource]) {
        let (isFirst, isAwaited) = change { $0.use() }
        if !isFirst { return }
        if isAwaited { awaited.append(self) }
        for other in uses { other.addUse(&awaited) }
    }

    /// The keeper lets go of it; whether it may begin.
    func letGo() -> Bool {
        if uses.isEmpty { return change { ($0.markLetGo(), $0.release()).1 } }
        // First the one, then the other: nothing ends while it is held.
        if change({ $0.markLetGo() }) { endUsing() }
        return change { $0.release() }
    }

    /// Nothing uses it any more, and so it uses nothing; each use is counted off once.
    private func endUsing() {
        if !isUser || uses.isEmpty { return }
        var todo: [Resource] = []
        for other in uses where other.change({ $0.unuse() }) { todo += other.uses }
        while let next = todo.popLast() { if next.change({ $0.unuse() }) { todo += next.uses } }
    }

    /// Lets go of what it was built from; returns what may begin.
    func releaseUses() -> [Resource] {
        if uses.isEmpty { return [] }
        let ready = uses.filter { other in other.change { $0.release() } }
        uses = []
        return ready
    }

    /// Notes that it has ended; whether somebody waits for that.
    func markOver() -> Bool { change { $0.end() } }

    /// Notes that somebody waits for its end; false if it has ended, or is used.
    func markAwaited() -> Bool { change { $0.wait() } }

    var id: UInt64 { UInt64(UInt(bitPattern: Borrowed(self).address)) }

    /// The ids of what ends after it; it has not ended, or nobody else has it.
    var idsBehind: [UInt64] {
        var (known, all, todo): (Set<UInt64>, [UInt64], [Resource]) = ([id], [id], uses)
        while let next = todo.popLast() {
            if !known.insert(next.id).inserted { continue }
            all.append(next.id)
            todo += next.uses
        }
        return all
    }
}
