/// The way outwards from a scope through those that builds in progress have made.
struct MadeScopes {
    /// The next scope on the way; at the end, the first one that no such build made.
    private(set) var scope: EnvironmentScope?
    /// How many were passed.
    private(set) var count: Int32 = 0

    init(from scope: EnvironmentScope?) { self.scope = scope }

    /// A scope on the way.
    struct Step {
        /// The build that made it.
        let maker: Build
        /// The build in progress below whose scope it lies directly, if one on this thread is, or the maker is a part of it, or
        /// made the scope below it.
        let build: Build?
        /// Whether a scope further in was passed whose maker is over, and need not be a part of the build.
        let isPastOthers: Bool
    }

    /// Passes the next scope, and those further in whose makers are over.
    mutating func next() -> Step? {
        var (here, passed, isPastOthers) = (scope, count, false)
        while let scope = here, let node = scope.node, let rare = scope.rare, rare.making != nil {
            let above = rare.buildAbove.flatMap { $0.isBuilding ? $0 : nil }
            // The other build may go on for long after the one that made the scope.
            let current = rare.maker.flatMap { $0.isBuilding ? $0 : nil }
            let maker = current ?? above
            let link = node.link
            // Before the target: of a build that is over, the link leads to the keeper.
            let build = link.flatMap { link in
                Build.running(on: ThreadState.current, withChildrenBy: link)
                    ?? maker?.withChildren(by: link) ?? above?.withChildren(by: link)
            }
            here = link.flatMap { $0.kind == .global ? GlobalScope.current : $0.target }
            passed += 1
            if current == nil { isPastOthers = true }  // fault: past-former
            guard let maker = maker ?? build else { continue }  // fault: maker-over
            (self.scope, count) = (here, passed)
            return Step(maker: maker, build: build, isPastOthers: isPastOthers)
        }
        return nil
    }
}

extension Build {
    /// This build or one around it, in progress on whichever thread, that gave its builder a scope whose children have this
    /// link.
    fileprivate func withChildren(by link: Handle) -> Build? {
        ancestry.first { build in build.withShared { $0.childLink === link && build.isBuilding($0) } }
    }
}

extension Rare {
    /// The build whose builder made the scope.
    var maker: Build? { making.map { unsafeDowncast($0, to: Build.self) } }

    /// The build on another thread below whose scope that builder made it.
    fileprivate var buildAbove: Build? { above.map { unsafeDowncast($0, to: Build.self) } }
}

extension EnvironmentScope {
    /// The build in progress that a scope made below this one is a part of, on whichever thread.
    @inline(__always)
    var makerOfChildren: Build? {
        guard let node else { return makerOfScopesBelowView }
        guard node.pointee.isBuilderMade else { return nil }
        if let maker = rare?.maker, maker.isBuilding { return maker }
        return nextMaker
    }

    /// The same for a builder's scope: its build, or a build around that, if the builder has returned.
    private var makerOfScopesBelowView: Build? {
        guard let build else { return nil }
        return build.isBuilding ? build : build.standing?.scope.makerOfChildren  // fault: former-maker
    }

    @inline(never)
    private var nextMaker: Build? {
        var made = MadeScopes(from: self)
        return made.next()?.maker  // fault: above-maker
    }

    /// The build in progress to whose builder the scope was given, or below whose scope it was made, or the one around that.
    var buildInProgress: Build? {
        if let build { return build.isBuilding ? build : build.standing?.scope.buildInProgress }  // fault: former-build
        return buildAbove?.build
    }

    /// The build in progress below whose scope this one was made, and the build that made this one: the same, or one that it
    /// needs.
    var buildAbove: (build: Build, maker: Build)? {
        var made = MadeScopes(from: self)
        guard var step = made.next() else { return nil }
        let maker = step.maker
        while true {
            if let build = step.build { return (build, maker) }
            guard let next = made.next() else { return nil }
            step = next
        }
    }
}

extension EnvironmentScope {
    /// Ends the program if this scope would come to lie below the scope of a builder in progress that did not make it.
    ///
    /// Nothing would tell which reads through it, or through the scopes below it, are for that builder. So a value of the asking
    /// scope could get into one that others are given.
    func checkMaker(isThatOf parent: EnvironmentScope?) {
        guard let build = parent?.makerOfChildren else { return }  // fault: moved-below-builder
        // One that a build within has made would be forgotten once that one is over.
        if rare?.maker === build { return }  // fault: moved-by-maker
        if rare?.buildAbove === build { return }  // fault: moved-made-below
        let (name, value) = (displayName, build.key.name)
        ScopeError(
            .invalid,
            key: build.key,
            detail: """
                \(name) cannot get a parent that the builder of \(value) was given or has made, because that builder did not \
                make \(name): others who read through it would see what one request sees.
                """,
            advice: "make a scope with that parent in the builder, or move this one once the builder has returned."
        ).endProgram()
    }
}
