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

extension Build {
    /// Hands the cleanups of a value that is kept nowhere on to the build that uses the value, and that may be kept
    /// further out than the asking scope of both.
    func handOnCleanups(to user: Build?) {
        guard let user, user.asking == asking, !user.isOfObservers else { return }  // fault: cleanups-handed-on
        let cleanups = withShared { $0.takeCleanups() }
        // The user may be over, if another thread reads.
        for cleanup in cleanups where !user.addCleanup(cleanup) { _ = addCleanup(cleanup) }
    }

    /// Ends the build where its scope may be used on, and registers its cleanups with the keeper, or with the asking scope if
    /// the value is not kept; the announcement is withdrawn.
    func endWithScope(_ error: ScopeError?, in node: NodePointer) {
        let asking = Links.handle(of: node, Lines.ofThread()).takeUnretainedValue()
        let ending = end(error, standIn: asking)
        ending.wake()
        if !ending.cleanups.isEmpty, let keeper = handleOfStandIn() { keeper.target?.addCleanups(ending.cleanups) }
    }
}

extension Build.Shared {
    /// Takes the cleanups out, for whoever registers them.
    mutating func takeCleanups() -> [Closing.Cleanup] {
        defer { if !cleanups.isEmpty { cleanups = [] } }
        return cleanups
    }
}
