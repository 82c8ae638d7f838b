import Synchronization

/// The board of the builds in progress, with the memory of its lists and the locks around it.
///
/// A thread asks under its own line, and withdraws its build under it. Hints change under every line. So nothing moves
/// from the look at the hint to the announcement. The list of a node is guarded by the node's leaf, that of a line by the line.
struct Announcing {
    /// Builds that wait for the asking thread, which has to go on alone.
    ///
    /// Usually there are none, and an empty array would be counted too.
    var ruledOut: [Build]?
    private let memory: Lines

    init(_ lines: Lines) { memory = lines }

    // MARK: Events of a build's own thread, which holds no line

    /// A build has read something.
    @inline(__always)
    static func follow(_ build: Build) {
        if build.nearest < build.followedLevel.load(ordering: .relaxed) { look(build) }
    }

    @inline(never)
    private static func look(_ build: Build) {
        let board = Announcing(build.asking.pointee.lines)
        let build = Borrowed(build)
        if build.asking.whileReading({ board.hasReadNearer(build) }) { change(build) { $0.followReads(of: build) } }
    }

    /// A build whose value is kept is over, unless what it read becomes the hint; the caller holds the lines of the keeper.
    static func withdraw(_ build: Build, keptAt level: Int32) {
        guard build.announcement.isMade, !build.isHintWrong(about: level) else { return }
        var board = Announcing(build.asking.pointee.lines)
        board.end(Borrowed(build), isTeaching: false)
        build.announcement.isMade = false
    }

    /// A build that was announced is over.
    ///
    /// - Parameters:
    ///   - level: The level that keeps the value; nil if none does.
    ///   - runsAgain: Whether the builder runs again, because an input has changed: then what it read is better than no hint.
    static func end(_ build: Build, keptAt level: Int32?, runsAgain: Bool) {
        var board = Announcing(build.asking.pointee.lines)
        let isTeaching = build.asking.whileReading {
            if level.map({ build.isHintWrong(about: $0) }) ?? (runsAgain && build.run.isFirst) { return true }
            board.end(Borrowed(build), isTeaching: false)
            return false
        }
        if isTeaching { change(Borrowed(build)) { $0.end(Borrowed(build), isTeaching: true) } }
    }

    private static func change(_ build: Borrowed<Build>, _ body: (inout Announcing) -> Void) {
        var board = Announcing(build.asking.pointee.lines)
        board.memory.lock(.every)
        body(&board)
        build.asking.finishWriting(.every)
    }
}

/// The caller holds the line of the build's thread.
extension Announcing: BuildBoard {
    /// Kept alive by its thread until it is withdrawn.
    typealias Announced = Borrowed<Build>

    // MARK: What is known

    func asking(of build: Announced) -> NodePointer { build.asking }
    func outwards(of scope: NodePointer) -> NodePointer? { scope.next }
    func nearest(of build: Announced) -> Int32 { build.nearest }
    func pastLevel(of build: Announced) -> Int32 { build.work.pastLevel }
    func isSameValue(_ one: Announced, _ other: Announced) -> Bool {
        one.key == other.key && one.decision == other.decision
    }
    var lines: Range<Int> { 0..<Lines.count }
    func line(of build: Announced) -> Int { build.line }

    func hintedLevel(of build: Announced) -> Int32 {
        let work = build.work
        return work.hint?.with { $0.level(from: work.asking, limit: work.outermost) } ?? work.outermost
    }

    func isRuledOut(_ other: Announced, for _: Announced) -> Bool {
        ruledOut?.contains { Borrowed($0) == other } == true
    }

    // MARK: The memory of the lists

    @inline(__always)
    func first(of list: BuildList<NodePointer>) -> Announced? {
        switch list {
        case .scope(let node): node.pointee.builds.load(ordering: .relaxed)
        case .line(let line): memory.builds(line)
        }
    }

    @inline(__always)
    func setFirst(_ build: Announced?, of list: BuildList<NodePointer>) {
        switch list {
        case .scope(let node): node.pointee.builds.store(build, ordering: .relaxed)
        case .line(let line): memory.setBuilds(build, line)
        }
    }

    @inline(__always)
    func next(after build: Announced, in list: BuildList<NodePointer>) -> Announced? {
        if case .scope = list { build.nextAtScope } else { build.nextOnLine }
    }

    @inline(__always)
    func setNext(_ next: Announced?, after build: Announced, in list: BuildList<NodePointer>) {
        if case .scope = list { build.nextAtScope = next } else { build.nextOnLine = next }
    }

    func announcedLevel(of build: Announced) -> Int32? { build.announcement.level }

    func announcedScope(of build: Announced) -> NodePointer? { build.announcedNode }

    func setPosition(_ position: (scope: NodePointer, level: Int32)?, of build: Announced) {
        build.with { $0.setAnnounced(position) }
    }

    @inline(__always)
    mutating func locking<Result>(_ scope: NodePointer, _ body: (inout Announcing) -> Result) -> Result {
        // No other thread looks at a node that one line reads, as long as that is held.
        let readers = scope.pointee.readers.load(ordering: .relaxed)
        if readers & (readers &- 1) == 0 { return body(&self) }
        return scope.pointee.announcing.withLock { body(&self) }
    }

    // MARK: What follows

    /// Retains it, for whoever has asked.
    func meet(_ build: Announced) { _ = build.retain() }

    func wake(_ build: Announced) { build.with { $0.wake() } }

    func setHint(from build: Announced) {
        assert(ThreadState.held == .max, "a thread may still read the former hint")
        build.announcement.hasTaught = true
        build.with { $0.work.exchangeHint(Hint($0.inputs, isPinned: $0.run.mask & Mask.pinned != 0)) }?.release()
    }
}
