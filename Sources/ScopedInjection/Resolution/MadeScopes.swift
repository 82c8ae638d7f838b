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
    }

    /// Passes the next scope.
    mutating func next() -> Step? {
        guard let here = scope, let node = here.node, let rare = here.rare else { return nil }
        let above = rare.buildAbove.flatMap { $0.isBuilding ? $0 : nil }
        // The other build may go on for long after the one that made the scope.
        guard let maker = rare.maker.flatMap({ $0.isBuilding ? $0 : nil }) ?? above else { return nil }
        let link = node.link
        // First: of a build that is over, the link leads to the keeper.
        let build = link.flatMap { link in
            Build.running(on: ThreadState.current, withChildrenBy: link)
                ?? maker.withChildren(by: link) ?? above?.withChildren(by: link)
        }
        scope = link.flatMap { $0.kind == .global ? GlobalScope.current : $0.target }
        count += 1
        return Step(maker: maker, build: build)
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
        if let node, !node.pointee.isBuilderMade { return nil }
        if let maker = build ?? rare?.maker, maker.isBuilding { return maker }
        // The other build may go on for long after the one that made the scope.
        return rare?.buildAbove.flatMap { $0.isBuilding ? $0 : nil }  // fault: above-maker
    }

    /// The build in progress to whose builder the scope was given, or below whose scope it was made.
    var buildInProgress: Build? {
        if let build { return build.isBuilding ? build : nil }
        return buildAbove?.build
    }

    /// The build in progress below whose scope this one was made, the way to its asking scope, and the build that made the
    /// outermost scope on that way: the same, or one that it needs.
    var buildAbove: (build: Build, made: MadeScopes, maker: Build)? {
        var made = MadeScopes(from: self)
        while let step = made.next() {
            if let build = step.build { return (build, made, step.maker) }
        }
        return nil
    }
}
