/// Which builds in progress others wait for: a state machine that knows no thread, no lock and no pointer.
///
/// A build is announced at one level of the chain of the scope that asks. It is the level where its value will be kept, by
/// what the last run of its builder read (the hint) and by what this run has read. **Each change of a hint moves every
/// announced build of that value in the same step.** So whoever looks, from its own scope to where the hint of this moment
/// leads, meets each build whose value it would be given.
///
/// The board keeps a list of builds for each scope, where reads look, and one for each line, where a change of a hint finds
/// them. Its owner has the memory of the lists, and makes one step of each event, whatever other threads do.
package protocol BuildBoard {
    associatedtype Scope
    /// A build, announced or about to be.
    associatedtype Announced: Equatable

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
    var lines: Range<Int> { get }
    /// The line of the thread of a build.
    func line(of build: Announced) -> Int

    // MARK: The memory of the lists

    func first(of list: BuildList<Scope>) -> Announced?
    mutating func setFirst(_ build: Announced?, of list: BuildList<Scope>)
    func next(after build: Announced, in list: BuildList<Scope>) -> Announced?
    mutating func setNext(_ next: Announced?, after build: Announced, in list: BuildList<Scope>)
    /// The level where the build is announced; nil if it is not.
    func announcedLevel(of build: Announced) -> Int32?
    /// The scope there; nil if it is gone, and its list with it.
    func announcedScope(of build: Announced) -> Scope?
    mutating func setPosition(_ position: (scope: Scope, level: Int32)?, of build: Announced)
    /// Calls a function while no other thread uses the list of a scope.
    mutating func locking<Result>(_ scope: Scope, _ body: (inout Self) -> Result) -> Result

    // MARK: What follows

    /// A build has been met, for which the asking thread may wait; the list of its scope is locked.
    mutating func meet(_ build: Announced)
    /// Wakes those who wait for a build.
    mutating func wake(_ build: Announced)
    /// Makes what a run has read the hint of its builder.
    mutating func setHint(from build: Announced)
}

package enum BuildList<Scope> {
    case scope(Scope)
    case line(Int)
}

// MARK: - Events

extension BuildBoard {
    /// A thread asks: announces its build, or returns the one to wait for.
    package mutating func ask(_ build: Announced) -> Announced? { ask(build, hinted: hintedLevel(of: build)) }

    /// The same where the hinted level is known.
    package mutating func ask(_ build: Announced, hinted: Int32) -> Announced? {
        let wanted = min(hinted, nearest(of: build))
        if wanted <= pastLevel(of: build) { return nil }
        var (at, level) = (asking(of: build), Int32(0))
        while level < wanted {
            // Usually there are none, and then no list is locked.
            if first(of: .scope(at)) != nil, let other = locking(at, { $0.find(build, at: at) }) { return other }
            guard let next = outwards(of: at) else { break }
            (at, level) = (next, level + 1)
        }
        let other = locking(at) { board -> Announced? in
            if let other = board.find(build, at: at) { return other }
            board.link(build, to: (at, level))
            return nil
        }
        if other == nil { push(build, on: .line(line(of: build))) }
        return other
    }

    /// Whether what a build has read shows that the hint led too far out.
    package func hasReadNearer(_ build: Announced) -> Bool {
        announcedLevel(of: build).map { nearest(of: build) < $0 } == true
    }

    /// A build has read what a nearer scope decides.
    package mutating func followReads(of build: Announced) {
        guard hasReadNearer(build) else { return }
        teach(by: build)
    }

    /// A build is over.
    ///
    /// - Parameter isTeaching: Whether what it has read becomes the hint.
    package mutating func end(_ build: Announced, isTeaching: Bool) {
        if isTeaching { teach(by: build) }
        if announcedLevel(of: build) != nil { move(build, to: nil) }
    }

    private mutating func teach(by build: Announced) {
        setHint(from: build)
        for other in all(like: build) {
            let level = level(of: other)
            if level == announcedLevel(of: other) { continue }
            move(other, to: level <= pastLevel(of: other) ? nil : position(of: other, level))
            wake(other)
        }
    }

    private func level(of build: Announced) -> Int32 { min(hintedLevel(of: build), nearest(of: build)) }

    /// The scope at a level, or the outermost one that is there.
    private func position(of build: Announced, _ level: Int32) -> (scope: Scope, level: Int32) {
        var (at, reached) = (asking(of: build), Int32(0))
        while reached < level, let next = outwards(of: at) { (at, reached) = (next, reached + 1) }
        return (at, reached)
    }
}

// MARK: - Lists

extension BuildBoard {
    /// Announces a build elsewhere, or withdraws it for good.
    private mutating func move(_ build: Announced, to position: (scope: Scope, level: Int32)?) {
        if let scope = announcedScope(of: build) {
            locking(scope) { $0.remove(build, from: .scope(scope)) }
        }
        setPosition(nil, of: build)
        if let position {
            locking(position.scope) { $0.link(build, to: position) }
        } else {
            remove(build, from: .line(line(of: build)))
        }
    }

    /// Another build of the same value that is announced at a scope.
    @inline(__always)
    private mutating func find(_ build: Announced, at scope: Scope) -> Announced? {
        var at = first(of: .scope(scope))
        while let other = at {
            if isSameValue(other, build), !isRuledOut(other, for: build) {
                meet(other)
                return other
            }
            at = next(after: other, in: .scope(scope))
        }
        return nil
    }

    /// All announced builds of the same value, this one included.
    private func all(like build: Announced) -> [Announced] {
        var found: [Announced] = []
        for line in lines {
            var at = first(of: .line(line))
            while let other = at {
                if isSameValue(other, build) { found.append(other) }
                at = next(after: other, in: .line(line))
            }
        }
        return found
    }

    @inline(__always)
    private mutating func link(_ build: Announced, to position: (scope: Scope, level: Int32)) {
        setPosition(position, of: build)
        push(build, on: .scope(position.scope))
    }

    @inline(__always)
    private mutating func push(_ build: Announced, on list: BuildList<Scope>) {
        setNext(first(of: list), after: build, in: list)
        setFirst(build, of: list)
    }

    @inline(__always)
    private mutating func remove(_ build: Announced, from list: BuildList<Scope>) {
        var (at, before) = (first(of: list), Announced?.none)
        while let other = at, other != build { (before, at) = (other, next(after: other, in: list)) }
        assert(at != nil, "a build is in the list where it was announced")
        let rest = next(after: build, in: list)
        if let before { setNext(rest, after: before, in: list) } else { setFirst(rest, of: list) }
    }
}
