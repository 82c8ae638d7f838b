extension EnvironmentScope {
    /// Reports the builds, waits and cleanups of this scope and those below it, with how long each took.
    ///
    /// Use it for metrics, traces and logs, and to find out why a first request is slow; see <doc:Seeing>.
    ///
    /// ```swift
    /// app.observe { event in logger.debug("\(event)") }
    /// ```
    ///
    /// The observer is called right after the event, on the thread that caused it, while no lock is held. Several
    /// threads may call it at the same time. It may read scopes; builds that it causes are reported to it in turn,
    /// unless they are of the value that it is being told of. What it reads is no input of the builds around it. If the
    /// event is a build that another build needs, reading the value that is still being built is a cycle, for that read
    /// alone. The observer stays for as long as the scope lives. A read of a value that is there is not reported, and
    /// costs nothing more.
    public func observe(_ observer: @escaping @Sendable (ScopeEvent) -> Void) {
        let scope = changeable("Adding an observer")
        scope.makeRare().state.withLock { $0.observers.append(observer) }
        guard let node = scope.node else { return }
        let lines = node.startWriting()
        node.pointee.flags.insert(.observed)
        node.finishWriting(lines)
    }
}
