extension EnvironmentScope {
    var isClosedNow: Bool { node.whileReading { node.pointee.flags.contains(.closed) } }

    func addCleanup(_ action: Cleanup.Action, _ place: SourcePlace) {
        addCleanups(CleanupChain(Cleanup(action, at: place)))
    }

    /// Adds cleanups of the scope, or runs them soon and returns false if the scope is already closed.
    @discardableResult
    func addCleanups(_ cleanups: CleanupChain) -> Bool {
        let lines = node.startWriting()
        let isTooLate = node.pointee.flags.contains(.closed)
        if !isTooLate { node.addCleanups(cleanups) }
        node.finishWriting(lines)
        if isTooLate { runSoon(cleanups) }
        return !isTooLate
    }
}
