/// Which builds in progress others wait for: a state machine that knows no thread, no lock and no pointer.
///
/// A build is announced at one level of the chain of the scope that asks. It is the level where its value will be kept, by
/// what the last run of its builder read (the hint) and by what this run has read. **Each change of a hint moves every
/// announced build of that value in the same step.** So whoever looks, from its own scope to where the hint of this moment
/// leads, meets each build whose value it would be given.
///
/// A board has the lists and the hints. Its owner makes one step of each event, whatever other threads do.
package protocol BuildBoard {
    associatedtype Scope
    associatedtype Build

    func asking(of build: Build) -> Scope
    /// The next scope outwards; nil if there is none.
    func outwards(of scope: Scope) -> Scope?
    /// The level where the value will be kept if the builder reads what it read last time; the outermost one without a hint.
    func hintedLevel(of build: Build) -> Int32
    /// The level of the nearest scope that decides on something that the run has read.
    func nearest(of build: Build) -> Int32
    /// The level up to which a value is a part of another one, and not kept for itself; -1 if it is kept everywhere.
    func pastLevel(of build: Build) -> Int32
    /// The level where the build is announced; nil if it is not.
    func announcedLevel(of build: Build) -> Int32?

    /// Another build of the same value that is announced at a scope, but for those that the asking thread has ruled out.
    func other(like build: Build, at scope: Scope) -> Build?
    /// All announced builds of the same value, this one included.
    func all(like build: Build) -> [Build]

    /// Announces a build, unless another one of the same value is announced there, which is returned.
    mutating func announce(_ build: Build, at scope: Scope, level: Int32) -> Build?
    /// Announces a build at another level, or withdraws it for good, and wakes those who wait for it.
    mutating func move(_ build: Build, to position: (scope: Scope, level: Int32)?)
    mutating func withdraw(_ build: Build)
    /// Makes what a run has read the hint of its builder.
    mutating func setHint(from build: Build)
}

extension BuildBoard {
    /// A thread asks: announces its build, or returns the one to wait for.
    package mutating func ask(_ build: Build) -> Build? {
        let wanted = level(of: build)
        if wanted <= pastLevel(of: build) { return nil }
        var (at, level) = (asking(of: build), Int32(0))
        while level < wanted {
            if let other = other(like: build, at: at) { return other }
            guard let next = outwards(of: at) else { break }
            (at, level) = (next, level + 1)
        }
        return announce(build, at: at, level: level)
    }

    /// Whether what a build has read shows that the hint led too far out.
    package func hasReadNearer(_ build: Build) -> Bool {
        announcedLevel(of: build).map { nearest(of: build) < $0 } == true
    }

    /// A build has read what a nearer scope decides.
    package mutating func followReads(of build: Build) {
        guard hasReadNearer(build) else { return }
        teach(by: build)
    }

    /// A build is over.
    ///
    /// - Parameter isTeaching: Whether what it has read becomes the hint.
    package mutating func end(_ build: Build, isTeaching: Bool) {
        if isTeaching { teach(by: build) }
        if announcedLevel(of: build) != nil { withdraw(build) }
    }

    private mutating func teach(by build: Build) {
        setHint(from: build)
        for other in all(like: build) {
            let level = level(of: other)
            if level == announcedLevel(of: other) { continue }
            move(other, to: level <= pastLevel(of: other) ? nil : position(of: other, level))
        }
    }

    private func level(of build: Build) -> Int32 { min(hintedLevel(of: build), nearest(of: build)) }

    /// The scope at a level, or the outermost one that is there.
    private func position(of build: Build, _ level: Int32) -> (scope: Scope, level: Int32) {
        var (at, reached) = (asking(of: build), Int32(0))
        while reached < level, let next = outwards(of: at) { (at, reached) = (next, reached + 1) }
        return (at, reached)
    }
}
