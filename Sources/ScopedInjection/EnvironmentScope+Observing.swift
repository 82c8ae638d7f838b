extension EnvironmentScope {
    /// Reports what this scope, and those below it, build, wait for and clean up, with how long it took.
    ///
    /// For metrics, traces and logs, and to find out what makes a first request slow; see <doc:Seeing>.
    ///
    /// ```swift
    /// app.observe { event in logger.debug("\(event)") }
    /// ```
    ///
    /// The observer is called right after the event, on the thread that caused it and while no lock is held; others may
    /// call it at the same time. It may read scopes, but what it makes them build is reported to it in turn, and where it is told
    /// of a build that another one needs, reading the value that is still being built is a cycle. It stays for
    /// as long as the scope lives. Reads of values that are there are not reported, and cost nothing more.
    public func observe(_ observer: @escaping @Sendable (ScopeEvent) -> Void) {
        let scope = changeable("Adding an observer")
        scope.makeRare().state.withLock { $0.observers.append(observer) }
        guard let node = scope.node else { return }
        let lines = node.startWriting()
        node.pointee.flags.insert(.observed)
        node.finishWriting(lines)
    }
}
