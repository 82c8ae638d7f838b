/// Tells the observers of a scope and its ancestors.
extension EnvironmentScope {
    func addObserver(_ observer: @escaping @Sendable (ScopeEvent) -> Void) {
        node.whileWriting {
            node.makeExtras().observers.append(observer)
            node.pointee.flags.insert(.observed)
        }
    }

    /// Calls the observers; no lock is held.
    func report(_ event: ScopeEvent) {
        assert(ThreadState.isFree, "an observer is called under a lock")
        // Otherwise an observer that reads what it is told of would be told of that read, without end.
        let thread = ThreadState.current
        if thread.pointee.isObserving { return }
        thread.pointee.isObserving = true
        defer { thread.pointee.isObserving = false }
        for observer in node.inspect({ node.chain.flatMap { $0.extras?.observers ?? [] } }) { observer(event) }
    }
}
