import Synchronization

/// Waits for builds of other threads.
enum Waiting {
    enum Outcome {
        case looksAgain
        /// The build waits for this thread.
        case circle
        /// The build has failed, and would fail for this read too, whose chain decides its inputs at this level.
        case failed(ScopeError, nearest: Int32, mask: UInt64)
    }

    /// Waits for a signal of a build, made under the line under which that was met.
    static func wait(for other: Build, _ signal: Signal?, from node: NodePointer) -> Outcome {
        if let signal, !Blocking.wait(for: signal, of: other.threadIdentity) { return .circle }
        return other.isOver ? outcome(of: other, for: node) : .looksAgain
    }

    /// What the end of a build means for a read that has waited for it.
    private static func outcome(of other: Build, for node: NodePointer) -> Outcome {
        guard var error = other.run.failure else { return .looksAgain }
        let (pinned, isOwn) = (other.run.mask & Mask.pinned, other.asking == node)
        let same = node.inspect { () -> (nearest: Int32, mask: UInt64)? in
            guard pinned == 0 || isOwn, Look.decide(other.key.address, from: node).version == other.decision
            else { return nil }
            return Look.check(other.inputs.all, from: node)
        }
        guard let same else { return .looksAgain }
        error.fields.searched = node.withScope { $0.chainNames }
        return .failed(error, nearest: pinned == 0 ? same.nearest : 0, mask: same.mask | pinned)
    }

    /// The scope that keeps the value of a build, once that is over; nil if it is gone.
    static func keeper(of build: Build) -> EnvironmentScope? {
        while let signal = build.signal() {
            guard Blocking.wait(for: signal, of: build.threadIdentity) else { return nil }
        }
        return build.scopeNow
    }
}
