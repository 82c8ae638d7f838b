import Synchronization

/// The board of the builds in progress, with the memory of its lists and the locks around it.
///
/// The list of a line is guarded by the line. A thread asks under the lines of all that may build what the hinted scope keeps, and
/// withdraws its build under its own. Hints change under every line. So no hint changes from the look at it to the announcement.
struct Announcing {
    /// Builds that wait for the asking thread, which has to go on alone.
    ///
    /// Usually there are none, and an empty array would be counted too.
    var ruledOut: [Build]?
    private let memory: ScopedInjection.Lines

    init(_ lines: ScopedInjection.Lines) { memory = lines }

    // MARK: Events of a build's own thread, which holds no line

    /// A build has read something.
    @inline(__always)
    static func follow(_ build: Build) {
        if build.nearest < build.announcedLevel ?? .min { teach(build) }
    }

    @inline(never)
    private static func teach(_ build: Build) { change(Borrowed(build)) { $0.followReads(of: Borrowed(build)) } }

    /// A build whose value is kept is over, unless what it read becomes the hint; the caller holds the lines of the keeper.
    static func withdraw(_ build: Build, keptAt level: Int32) {
        guard build.announcedLevel != nil, !build.isHintWrong(about: level) else { return }
        var board = Announcing(build.asking.pointee.lines)
        board.end(Borrowed(build), isTeaching: false)
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

    /// The builds whose values scopes will keep, as far as is known now; the caller holds no line.
    static func all(_ lines: ScopedInjection.Lines) -> [(keeper: NodePointer, build: Build)] {
        let board = Announcing(lines)
        lines.lock(.every)
        defer {
            finishRetaining()
            lines.unlock(.every)
        }
        var found: [(keeper: NodePointer, build: Build)] = []
        for line in board.everyLine {
            var at = board.first(of: line)
            while let build = at {
                if let keeper = board.keeper(of: build) { found.append((keeper, build.object)) }
                at = board.next(after: build)
            }
        }
        return found
    }

    private static func change(_ build: Borrowed<Build>, _ body: (inout Announcing) -> Void) {
        var board = Announcing(build.asking.pointee.lines)
        board.memory.lock(.every)
        body(&board)
        build.asking.finishWriting(.every)
    }
}

/// The caller holds the lines of the threads of the builds.
extension Announcing: BuildBoard {
    /// Kept alive by its thread until it is withdrawn.
    typealias Announced = Borrowed<Build>

    // MARK: What is known

    func asking(of build: Announced) -> NodePointer { build.asking }
    func outwards(of scope: NodePointer) -> NodePointer? { scope.next }
    func nearest(of build: Announced) -> Int32 { build.nearest }
    func pastLevel(of build: Announced) -> Int32 { build.plan.look.pastLevel }
    func isSameValue(_ one: Announced, _ other: Announced) -> Bool {
        one.key == other.key && one.decision == other.decision
    }
    @inline(__always)
    func lines(of scope: NodePointer) -> ScopedInjection.Lines.Bits { scope.linesOfReaders }
    var everyLine: ScopedInjection.Lines.Bits { .every }
    func line(of build: Announced) -> Int { build.line }

    func hintedLevel(of build: Announced) -> Int32 { build.plan.hintedLevel }

    func isRuledOut(_ other: Announced, for _: Announced) -> Bool {
        ruledOut?.contains { Borrowed($0) == other } == true
    }

    // MARK: The memory of the lists

    @inline(__always)
    func first(of line: Int) -> Announced? { memory.builds(line) }
    @inline(__always)
    func setFirst(_ build: Announced?, of line: Int) { memory.setBuilds(build, line) }
    @inline(__always)
    func next(after build: Announced) -> Announced? { build.nextOnLine }
    @inline(__always)
    func setNext(_ next: Announced?, after build: Announced) { build.nextOnLine = next }

    func announcedLevel(of build: Announced) -> Int32? { build.announcedLevel }
    func setAnnouncedLevel(_ level: Int32?, of build: Announced) { build.with { $0.announcedLevel = level } }

    // MARK: What follows

    /// Retains it, for whoever has asked.
    func meet(_ build: Announced) { _ = build.retain() }

    func wake(_ build: Announced) { build.with { $0.wake() } }

    func setHint(from build: Announced) {
        assert(ThreadState.held == .max, "a thread may still read the former hint")
        build.hasTaught = true
        let hint = build.with { Hint($0.inputs, isPinned: $0.run.mask & Mask.pinned != 0) }
        let former =
            if let provider = build.provider { provider.hint.exchange(hint) } else { build.key.exchangeHint(hint) }
        former?.release()
    }
}
