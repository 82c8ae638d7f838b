extension EnvironmentScope {
    /// Ends the builds whose builders run on the calling thread and will never return.
    ///
    /// Reads that wait for the innermost one are given the error; later ones, and those that wait for another one, build
    /// anew. The caller holds no lock.
    package static func abandonBuilds(for error: ScopeError) {
        let thread = ThreadState.current
        guard let innermost = thread.pointee.innermostBuild else { return }
        for build in Array(innermost.ancestry) where build.isRunning(on: thread) {
            Announcing.withdraw(build, in: build.asking)
            // The others have not recorded what the error comes from.
            build.endWithScope(build === innermost ? error : nil, in: build.asking)  // fault: abandoned-around
        }
    }
}
