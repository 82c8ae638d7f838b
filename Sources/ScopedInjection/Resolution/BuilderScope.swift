// MARK: - The scope that a builder is given

extension EnvironmentScope {
    /// The build whose builder was given this scope; nil for any other scope.
    var build: Build? { given?.takeUnretainedValue() }
}

extension Build {
    /// Whether the build is in progress; for another thread, only until the value is kept.
    @inline(__always)
    var isBuilding: Bool { withShared { isBuilding($0) } }

    @inline(__always)
    func isBuilding(_ shared: borrowing Shared) -> Bool {
        !shared.isOver && (!shared.isPlaced || thread == ThreadState.current)
    }

    /// The scope that the builder's scope stands for, and whether it is the asking one of a build in progress, at one
    /// moment; nil if it is gone.
    ///
    /// The caller holds no line. The asking scope is alive as long as the build is not over.
    var standing: (scope: EnvironmentScope, isBuilding: Bool)? {
        let known = withShared { shared -> (standIn: Handle?, asking: EnvironmentScope?, isBuilding: Bool) in
            defer { finishRetaining() }
            // First, because once the value is placed the scope stands for the keeper, whether the build is over or not.
            if let standIn = shared.standIn { return (standIn, nil, false) }  // fault: stand-in-placed
            return (nil, shared.isOver ? nil : asking.withScope { $0 }, isBuilding(shared))
        }
        guard let scope = known.asking ?? known.standIn?.target else { return nil }
        return (scope, known.isBuilding)
    }

    /// Whether somebody holds a child of the builder's scope.
    var hasChildren: Bool {
        withShared { $0.childLink != nil && !isKnownUniquelyReferenced(&$0.childLink) }
    }

    /// The build in progress on the thread whose scope's children have this link.
    static func running(on thread: ThreadState.Pointer, withChildrenBy link: Handle) -> Build? {
        thread.pointee.innermostBuild?.ancestry.first { build in
            build.isRunning(on: thread) && build.withShared { $0.childLink === link }
        }
    }

    /// The link for children of the builder's scope, which leads to its stand-in.
    var linkForChildren: Unmanaged<Handle> {
        let standing = standing
        defer { withExtendedLifetime(standing) {} }
        let line = Lines.ofThread()
        let target = standing?.scope.node.map { Links.handle(of: $0, line).takeUnretainedValue() }
        let lines = Lines.shared
        lines.lock(line)
        let number = lines.nextVersion(line)
        lines.unlock(line)
        let made = Handle(.builder, of: nil, node: nil, name: nil, number: number, line: line)
        made.standIn = target
        return withShared { shared in
            if let standIn = shared.standIn { made.standIn = standIn }
            if shared.isOver { return .passRetained(made) }
            let link = shared.childLink ?? made
            shared.childLink = link
            return .passRetained(link)
        }
    }
}

// MARK: - The builds of a thread

extension ThreadState {
    /// Whether the build is the innermost one of this thread.
    @inline(__always)
    func isRunning(_ build: Build) -> Bool { self.build?.toOpaque() == Unmanaged.passUnretained(build).toOpaque() }

    /// The innermost build whose builder runs on this thread.
    var innermostBuild: Build? {
        build.map { unsafeDowncast($0.takeUnretainedValue(), to: Build.self) }
    }
}
