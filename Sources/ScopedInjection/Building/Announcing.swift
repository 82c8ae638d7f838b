import Synchronization

/// The board of the builds in progress: the lists of the nodes, where reads find them, and those of the lines, where a
/// change of a hint finds them.
///
/// A thread asks under its own line, and withdraws its build under it. Hints change under every line. So nothing moves
/// from the look at the hint to the announcement.
struct Announcing: BuildBoard {
    /// Builds that wait for the asking thread, which has to go on alone.
    ///
    /// Usually there are none, and an empty array would be counted too.
    var ruledOut: [Build]?

    // MARK: Events of a build's own thread, which holds no line

    /// A build has read something.
    @inline(__always)
    static func follow(_ build: Build) {
        if build.nearest < build.followedLevel.load(ordering: .relaxed) { look(build) }
    }

    @inline(never)
    private static func look(_ build: Build) {
        let board = Announcing()
        if build.asking.whileReading({ board.hasReadNearer(build) }) { change(build) { $0.followReads(of: build) } }
    }

    /// A build is over.
    ///
    /// - Parameters:
    ///   - level: The level that keeps the value; nil if none does.
    ///   - runsAgain: Whether the builder runs again, because an input has changed: then what it read is better than no hint.
    static func end(_ build: Build, keptAt level: Int32?, runsAgain: Bool) {
        if !build.wasAnnounced { return }
        var board = Announcing()
        let isTeaching = build.asking.whileReading {
            if level.map({ build.isHintWrong(about: $0) }) ?? (runsAgain && build.isFirst) { return true }
            board.end(build, isTeaching: false)
            return false
        }
        if isTeaching { change(build) { $0.end(build, isTeaching: true) } }
    }

    private static func change(_ build: Build, _ body: (inout Announcing) -> Void) {
        var board = Announcing()
        build.asking.pointee.lines.lock(.every)
        body(&board)
        build.asking.finishWriting(.every)
    }

    // MARK: What is known; the caller holds a line

    func asking(of build: Build) -> NodePointer { build.asking }
    func outwards(of scope: NodePointer) -> NodePointer? { scope.next }
    func nearest(of build: Build) -> Int32 { build.nearest }
    func pastLevel(of build: Build) -> Int32 { build.pastLevel }
    func announcedLevel(of build: Build) -> Int32? { build.announcedLevel }

    func hintedLevel(of build: Build) -> Int32 {
        build.hint?.with { $0.level(from: build.asking, limit: build.outermost) } ?? build.outermost
    }

    func other(like build: Build, at scope: NodePointer) -> Build? {
        if scope.pointee.builds.load(ordering: .relaxed) == nil { return nil }
        return scope.pointee.announcing.withLock { find(build, scope) }
    }

    func all(like build: Build) -> [Build] {
        let lines = build.asking.pointee.lines
        var found: [Build] = []
        for line in 0..<Lines.count {
            var at = lines.builds(line)
            while let other = at?.object {
                if other.isOfSameValue(as: build) { found.append(other) }
                at = other.nextOfLine
            }
        }
        return found
    }

    /// Another build of the same value that is announced in a node; the caller holds the node's leaf.
    private func find(_ build: Build, _ node: NodePointer) -> Build? {
        var at = node.pointee.builds.load(ordering: .relaxed)
        while let other = at {
            if other.announcedKeys & build.key.hashBit == 0 { return nil }
            let (isSame, next) = other.with { ($0.isOfSameValue(as: build), $0.nextAnnounced) }
            if isSame {
                let other = other.object
                if ruledOut?.contains(where: { $0 === other }) != true {
                    finishRetaining()
                    return other
                }
            }
            at = next
        }
        return nil
    }

    // MARK: Changes; the caller holds the line of the build's thread

    mutating func announce(_ build: Build, at scope: NodePointer, level: Int32) -> Build? {
        let other = scope.pointee.announcing.withLock { () -> Build? in
            if let other = find(build, scope) { return other }
            link(build, to: scope, level)
            return nil
        }
        if let other { return other }
        let lines = build.asking.pointee.lines
        let line = lines.ofThread()
        build.line = line
        build.nextOfLine = lines.builds(line)
        lines.setBuilds(Borrowed(build), line)
        build.wasAnnounced = true
        return nil
    }

    mutating func move(_ build: Build, to position: (scope: NodePointer, level: Int32)?) {
        unlink(build)
        if let position {
            position.scope.pointee.announcing.withLock { link(build, to: position.scope, position.level) }
        } else {
            forget(build)
        }
        build.noteMove()
    }

    mutating func withdraw(_ build: Build) {
        unlink(build)
        forget(build)
    }

    mutating func setHint(from build: Build) {
        assert(ThreadState.held == .max, "a thread may still read the former hint")
        build.exchangeHint(Hint(build.inputs, isPinned: build.mask & Mask.pinned != 0))?.release()
    }

    /// Adds a build to the list of a node; the caller holds the node's leaf.
    private func link(_ build: Build, to node: NodePointer, _ level: Int32) {
        let last = node.pointee.builds.load(ordering: .relaxed)
        build.announcedKeys = build.key.hashBit | (last?.announcedKeys ?? 0)
        build.nextAnnounced = last
        build.setAnnounced(level, level == 0 ? nil : node.anyHandle?.retain())
        node.pointee.builds.store(Borrowed(build), ordering: .relaxed)
    }

    /// Takes a build out of the list of its node, and forgets its position.
    private func unlink(_ build: Build) {
        let handle = build.announcedAt
        // A scope that goes empties its list.
        if let node = handle == nil ? build.asking : handle?.node {
            node.pointee.announcing.withLock { unlink(build, from: node) }
        }
        build.setAnnounced(nil, nil)
        handle?.release()
    }

    private func unlink(_ build: Build, from node: NodePointer) {
        let first = node.pointee.builds.load(ordering: .relaxed)
        if let before = last(before: build, from: first, { $0.nextAnnounced }) {
            before.with { $0.nextAnnounced = build.nextAnnounced }
        } else {
            node.pointee.builds.store(build.nextAnnounced, ordering: .relaxed)
        }
        build.nextAnnounced = nil
    }

    private func forget(_ build: Build) {
        let (lines, line) = (build.asking.pointee.lines, build.line)
        // Builds of a thread are nested, and usually no other thread has the line.
        if let after = last(before: build, from: lines.builds(line), { $0.nextOfLine }) {
            after.with { $0.nextOfLine = build.nextOfLine }
        } else {
            lines.setBuilds(build.nextOfLine, line)
        }
    }

    /// The build before another one in a list; nil if that is the first.
    @inline(__always)
    private func last(before build: Build, from first: Borrowed<Build>?, _ next: (Build) -> Borrowed<Build>?)
        -> Borrowed<Build>?
    {
        var (at, before): (Borrowed<Build>?, Borrowed<Build>?) = (first, nil)
        while let other = at, other != Borrowed(build) {
            (before, at) = (other, other.with(next))
        }
        return before
    }
}
