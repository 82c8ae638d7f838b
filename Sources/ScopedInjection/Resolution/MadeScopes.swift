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
        /// The link by which it holds its parent.
        let link: Handle?
        /// The build on another thread below whose scope the maker made it.
        fileprivate let above: Build?

        /// The build that gave its builder a scope whose children have this link, if the maker is a part of it, or made the
        /// scope below it.
        func build(withChildrenBy link: Handle) -> Build? {
            maker.withChildren(by: link) ?? above?.withChildren(by: link)
        }
    }

    /// Passes the next scope.
    mutating func next() -> Step? {
        guard let here = scope, let node = here.node, let rare = here.rare else { return nil }
        let above = rare.buildAbove.flatMap { $0.isBuilding ? $0 : nil }
        // The other build may go on for long after the one that made the scope.
        guard let maker = rare.maker.flatMap({ $0.isBuilding ? $0 : nil }) ?? above else { return nil }
        let link = node.link
        scope = link.flatMap { $0.kind == .global ? GlobalScope.current : $0.target }
        count += 1
        return Step(maker: maker, link: link, above: above)
    }
}

extension Build {
    /// This build or one around it, on whichever thread, that gave its builder a scope whose children have this link.
    func withChildren(by link: Handle) -> Build? { ancestry.first { $0.withShared { $0.childLink === link } } }
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
        let maker = build ?? rare?.maker
        return maker?.isBuilding == true ? maker : nil
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
        while let step = made.next(), let link = step.link {
            if let build = step.build(withChildrenBy: link) { return (build, made, step.maker) }
        }
        return nil
    }
}
