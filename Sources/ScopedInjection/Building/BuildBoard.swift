/// Which builds in progress others wait for: a state machine that knows no thread and no pointer, and of locks that each line has a list.
///
/// A build lies in the list of its thread's line while it runs. Where its value will be kept is not stored: it is the level to which the
/// hint of this moment leads (what the last run of the builder read), or that of the nearest scope that has decided on something that
/// this run has read, whichever is nearer. So whoever looks through the lists of all lines under which a value may be built that the
/// hinted scope keeps meets each build whose value it would be given, whatever the hint was before. Only who waits is told of a change.
///
/// Its owner has the memory of the lists, and makes one step of each event, whatever other threads do.
package protocol BuildBoard {
    associatedtype Scope: Equatable
    /// A build, announced or about to be.
    associatedtype Announced: Equatable
    associatedtype Lines: Sequence<Int>

    // MARK: What is known

    func asking(of build: Announced) -> Scope
    /// The next scope outwards; nil if there is none.
    func outwards(of scope: Scope) -> Scope?
    /// The level where the value will be kept if the builder reads what it read last time; the outermost one without a hint.
    func hintedLevel(of build: Announced) -> Int32
    /// The level of the nearest scope that decides on something that the run has read.
    func nearest(of build: Announced) -> Int32
    /// The level up to which a value is a part of another one, and not kept for itself; -1 if it is kept everywhere.
    func pastLevel(of build: Announced) -> Int32
    func isSameValue(_ one: Announced, _ other: Announced) -> Bool
    /// Whether the thread of a build has to go on without another one, which waits for it.
    func isRuledOut(_ other: Announced, for build: Announced) -> Bool
    /// The lines of the threads that may build what a scope keeps.
    func lines(of scope: Scope) -> Lines
    var everyLine: Lines { get }
    /// The line of the thread of a build.
    func line(of build: Announced) -> Int

    // MARK: The memory of the lists

    func first(of line: Int) -> Announced?
    mutating func setFirst(_ build: Announced?, of line: Int)
    func next(after build: Announced) -> Announced?
    mutating func setNext(_ next: Announced?, after build: Announced)
    /// The level that those who wait for a build know of; nil if it is in no list.
    func announcedLevel(of build: Announced) -> Int32?
    mutating func setAnnouncedLevel(_ level: Int32?, of build: Announced)

    // MARK: What follows

    /// A build has been met, for which the asking thread may wait.
    mutating func meet(_ build: Announced)
    /// Wakes those who wait for a build.
    mutating func wake(_ build: Announced)
    /// Makes what a run has read the hint of its builder.
    mutating func setHint(from build: Announced)
}

// MARK: - Events

extension BuildBoard {
    /// A thread asks: announces its build, or returns the one to wait for.
    package mutating func ask(_ build: Announced) -> Announced? { ask(build, hinted: hintedLevel(of: build)) }

    /// The same where the hinted level is known.
    package mutating func ask(_ build: Announced, hinted: Int32) -> Announced? {
        let wanted = min(hinted, nearest(of: build))
        if wanted <= pastLevel(of: build) { return nil }
        let keeper = scope(at: wanted, from: asking(of: build))
        for line in lines(of: keeper) {
            var at = first(of: line)
            while let other = at {
                if isSameValue(other, build), !isRuledOut(other, for: build), isOnTheWay(other, build, to: keeper) {
                    meet(other)
                    return other
                }
                at = next(after: other)
            }
        }
        setAnnouncedLevel(wanted, of: build)
        let line = line(of: build)
        setNext(first(of: line), after: build)
        setFirst(build, of: line)
        return nil
    }

    /// Whether what a build has read shows that the hint led too far out.
    package func hasReadNearer(_ build: Announced) -> Bool {
        announcedLevel(of: build).map { nearest(of: build) < $0 } == true
    }

    /// A build has read what a nearer scope decides.
    package mutating func followReads(of build: Announced) { if hasReadNearer(build) { teach(by: build) } }

    /// A build is over.
    ///
    /// - Parameter isTeaching: Whether what it has read becomes the hint.
    package mutating func end(_ build: Announced, isTeaching: Bool) {
        if isTeaching { teach(by: build) }
        if announcedLevel(of: build) != nil { withdraw(build) }
    }

    private mutating func withdraw(_ build: Announced) {
        setAnnouncedLevel(nil, of: build)
        let line = line(of: build)
        var (at, before) = (first(of: line), Announced?.none)
        while let other = at, other != build { (before, at) = (other, next(after: other)) }
        assert(at != nil, "a build is in the list where it was announced")
        let rest = next(after: build)
        if let before { setNext(rest, after: before) } else { setFirst(rest, of: line) }
    }

    private mutating func teach(by build: Announced) {
        setHint(from: build)
        for line in everyLine {
            var at = first(of: line)
            while let other = at {
                if isSameValue(other, build), announcedLevel(of: other) != level(of: other) {
                    setAnnouncedLevel(level(of: other), of: other)
                    wake(other)
                }
                at = next(after: other)
            }
        }
    }
}

// MARK: - Where a value will be kept

extension BuildBoard {
    private func level(of build: Announced) -> Int32 { min(hintedLevel(of: build), nearest(of: build)) }

    /// The scope that will keep the value, as far as is known now; nil if it is a part of another one.
    package func keeper(of build: Announced) -> Scope? {
        let level = level(of: build)
        return level <= pastLevel(of: build) ? nil : scope(at: level, from: asking(of: build))
    }

    /// The scope at a level, or the outermost one that is there.
    private func scope(at level: Int32, from start: Scope) -> Scope {
        var (at, rest) = (start, level)
        while rest > 0, let next = outwards(of: at) { (at, rest) = (next, rest - 1) }
        return at
    }

    /// Whether another build's value will be kept on the way from the asking scope of a build to a scope.
    private func isOnTheWay(_ other: Announced, _ build: Announced, to last: Scope) -> Bool {
        guard let keeper = keeper(of: other) else { return false }
        var at = asking(of: build)
        while at != keeper {
            guard at != last, let next = outwards(of: at) else { return false }
            at = next
        }
        return true
    }
}
