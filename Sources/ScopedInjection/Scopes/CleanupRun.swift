/// One run of cleanups of a scope, for those who wait for its end.
final class CleanupRun: Run, @unchecked Sendable {
    // Sendable because what changes is guarded by `waits`.

    private let scopeName: String?
    /// Those who wait for the end.
    private var continuations: [CheckedContinuation<Void, Never>] = []

    init(of scope: EnvironmentScope) { scopeName = scope.name }

    override var advice: String { "let no cleanup close a scope whose own cleanups close this one." }

    override var name: String { "the closing of \(EnvironmentScope.display(scopeName))" }

    /// Waits for the end, unless the caller's own run is waited for by this one; then it returns the error of the circle.
    nonisolated(nonsending) func wait() async -> ScopeError? {
        let waiting: [Run]
        do throws(ScopeError) { waiting = try isAwaited() } catch { return error }
        defer { endWait(of: waiting) }
        await withCheckedContinuation { continuation in
            let isTooLate = Self.waits.withLock { _ in
                if !isOver { continuations.append(continuation) }
                return isOver
            }
            if isTooLate { continuation.resume() }
        }
        return nil
    }

    func finish() {
        let waiting = Self.waits.withLock { _ in
            markOver()
            defer { continuations = [] }
            return continuations
        }
        for continuation in waiting { continuation.resume() }
    }
}
