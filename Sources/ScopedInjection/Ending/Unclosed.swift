import Synchronization

/// What is done for a scope that went away without having been closed.
extension EnvironmentScope {
    /// Makes a scope of what another one, which nobody can reach any more, has left.
    private convenience init(_ name: String?, of node: NodePointer) {
        self.init(name: name, node: node)
        // Whoever looks for the scope holds a line, and finds the former one as long as that is there.
        node.whileWriting { node.pointee.owner = Borrowed(self) }
        node.pointee.handle.store(nil, ordering: .relaxed)
        node.pointee.handles.store(nil, ordering: .relaxed)
    }

    /// Closes what is left of a scope in a task of its own, and tells the observers and the test.
    static func closeUnclosed(of node: NodePointer, _ name: String?) {
        let scope = EnvironmentScope(name, of: node)
        let cleanup = sequence(first: node.pointee.cleanups) { $0?.older }.lazy.compactMap { $0?.object }
            .first { $0.hasCleanups }
        // Here, because the test may be over before a task begins.
        if let title = cleanup?.nextTitle, !scope.isClosedNow {
            scope.report(ScopeEvent(.leftUnclosed, in: scope))
            let place = title.place.map { ScopeError.Location($0) } ?? title.value?.location
            if let place { scope.watch?.tellOfLeftUnclosed(scope, place) }
        }
        let anchor = Anchor(scope)
        Task.detached {
            _ = await scope.closeAll()
            withExtendedLifetime(anchor) {}
        }
    }
}
