import Synchronization

/// What is done for a scope that went away without having been closed.
extension EnvironmentScope {
    /// Makes a scope of what another one, which nobody can reach any more, has left.
    private convenience init(_ name: String?, of node: NodePointer) {
        self.init(name: name, node: node)
        // Whoever looks for the scope holds a line, and finds the former one as long as that is there.
        let lines = node.startWriting()
        node.pointee.owner = Borrowed(self)
        node.finishWriting(lines)
        node.pointee.handle.store(nil, ordering: .relaxed)
        node.pointee.handles.store(nil, ordering: .relaxed)
        node.pointee.lent.store(0, ordering: .relaxed)
    }

    /// Closes what is left of a scope in a task of its own, and tells the observers and the test.
    static func closeWhatIsLeft(of node: NodePointer, _ name: String?) {
        let scope = EnvironmentScope(name, of: node)
        let hasCleanups = sequence(first: node.pointee.cleanups) { $0?.older }.contains { $0?.hasCleanups == true }
        let anchor = Anchor(scope)
        Task.detached {
            if hasCleanups, !scope.isClosedNow {
                scope.report(ScopeEvent(.leftUnclosed, in: scope))
                scope.watch?.tellOfLeftUnclosed(scope)
            }
            await scope.closeAll()
            withExtendedLifetime(anchor) {}
        }
    }
}
