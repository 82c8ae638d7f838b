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

    /// A signal that is set when a build is over or moves, for a read that needs its value; nil if it is over already.
    ///
    /// The caller holds the line under which it has met the build, so that the build has not moved.
    static func signal(of other: Build) -> Signal? {
        let signal = Signal()
        if case .over = other.state(signal) { return nil }
        return signal
    }

    /// Waits for a signal of a build.
    static func wait(for other: Build, _ signal: Signal?, from node: NodePointer) -> Outcome {
        if let signal, !whileBlocked(on: other, { signal.wait() }) { return .circle }
        return other.isOver ? outcome(of: other, for: node) : .looksAgain
    }

    /// What the end of a build means for a read that has waited for it.
    private static func outcome(of other: Build, for node: NodePointer) -> Outcome {
        guard var error = other.failure else { return .looksAgain }
        let (pinned, isOwn) = (other.mask & Mask.pinned, other.asking == node)
        let same = node.whileReading { () -> (nearest: Int32, mask: UInt64)? in
            guard pinned == 0 || isOwn, Look.decide(other.key.address, from: node).version == other.decision
            else { return nil }
            return Look.check(other.inputs.all, since: other.discards, from: node)
        }
        guard let same else { return .looksAgain }
        error.fields.searched = node.withScope { $0.chainNames }
        return .failed(error, nearest: pinned == 0 ? same.nearest : 0, mask: same.mask | pinned)
    }

    /// The scope that keeps the value of a build, once that is over; nil if it is gone.
    static func keeper(of build: Build) -> EnvironmentScope? {
        while true {
            let signal = Signal()
            if case .over(let keeper) = build.state(signal) { return keeper?.target }
            guard whileBlocked(on: build, { signal.wait() }) else { return nil }
        }
    }

    /// Guards `Build.blockedOn`.
    private static let blocking = Guarded(())

    /// Waits, unless the other build waits for one of this thread: then nobody would ever end.
    private static func whileBlocked(on other: Build, _ wait: () -> Void) -> Bool {
        if ThreadState.current.pointee.build == nil {
            wait()
            return true
        }
        let isCircle = blocking.withLock { _ in
            if waitsForThisThread(other) { return true }
            Build.forEachOnThisThread { $0.blockedOn = .passUnretained(other) }
            return false
        }
        if isCircle { return false }
        wait()
        blocking.withLock { _ in Build.forEachOnThisThread { $0.blockedOn = nil } }
        return true
    }

    private static func waitsForThisThread(_ other: Build) -> Bool {
        var at = Unmanaged.passUnretained(other)
        while true {
            if at._withUnsafeGuaranteedRef({ $0.isOnThisThread }) { return true }
            guard let next = at._withUnsafeGuaranteedRef({ $0.blockedOn }) else { return false }
            at = next
        }
    }
}
