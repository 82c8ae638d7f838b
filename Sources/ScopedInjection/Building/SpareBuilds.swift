/// Builds that are used again, so that building a value allocates none.
extension Build {
    /// How many builds a thread leaves, because builders may once be nested very deep.
    private static let mostSpares = 64

    /// A build that has begun, owned by the caller, who holds a line.
    static func make(_ plan: Plan) -> Borrowed<Build> {
        let thread = plan.read.thread
        guard let build = thread.pointee.spareBuild else { return .retaining(Build(plan)) }
        build.with { build in
            thread.pointee.spareBuild = build.nextSpare
            thread.pointee.spareCount -= 1
            build.nextSpare = nil
            build.begin(plan)
        }
        return build
    }

    /// Leaves a build that is over, and that nothing else refers to, as a spare on this thread.
    static func reuse(_ build: Borrowed<Build>) {
        let thread = build.thread
        build.with { $0.clear() }
        guard thread.pointee.spareCount < mostSpares else { return build.release() }
        build.with { $0.nextSpare = thread.pointee.spareBuild }
        thread.pointee.spareBuild = build
        thread.pointee.spareCount += 1
    }
}
