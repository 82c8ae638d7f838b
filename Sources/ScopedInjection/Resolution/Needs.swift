/// The builds that need a build.
struct Needs {
    /// The one around it: the innermost one on its thread, or else the one through whose scope it was asked for.
    var outer: Build?
    /// The one on another thread through whose scope it was asked for, if that is not around it.
    var other: Build?

    /// The hash bits of the keys of these builds and of all that need them.
    @inline(__always)
    var keys: UInt64 { (outer?.nestedKeys ?? 0) | (other?.nestedKeys ?? 0) }
}

extension Build: Awaitable {
    /// The builds that need this one, for any thread.
    private var currentNeeds: Needs {
        if thread == ThreadState.current { return needs }
        return withShared { _ in
            defer { finishRetaining() }
            return needs
        }
    }

    /// This build and those around it, innermost first, up to one that is over.
    var ancestry: some Sequence<Build> { sequence(first: self, next: \.currentNeeds.outer) }

    /// The ways from this build to those that need it: the ancestry, and a way for each build on another thread that needs
    /// one of those.
    var ways: [[Build]] {
        var ways = [Array(ancestry)]
        var next = 0
        while next < ways.count {
            let way = ways[next]
            for (index, build) in way.enumerated() {
                guard let other = build.currentNeeds.other,
                    !ways.contains(where: { $0.contains { $0 === other } })
                else { continue }
                ways.append(way[...index] + Array(other.ancestry))
            }
            next += 1
        }
        return ways
    }

    /// Whether what this build reads concerns the other one, because no observer stands between them.
    func reports(to other: Build) -> Bool {
        ancestry.first { $0 === other || $0.isOfObservers } === other  // fault: observers-between
    }

    func isWithin(_ other: Build) -> Bool { ways.contains { $0.contains { $0 === other } } }
}

extension ThreadState {
    /// Whether the build is the innermost one of this thread.
    @inline(__always)
    func isRunning(_ build: Build) -> Bool { self.build?.toOpaque() == Unmanaged.passUnretained(build).toOpaque() }

    /// The innermost build whose builder runs on this thread.
    var innermostBuild: Build? {
        build.map { unsafeDowncast($0.takeUnretainedValue(), to: Build.self) }
    }
}
