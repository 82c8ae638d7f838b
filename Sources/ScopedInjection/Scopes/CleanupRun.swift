/// One run of cleanups of a scope, for those who wait for its end.
final class CleanupRun: Run, @unchecked Sendable {
    // Sendable because its own state is guarded.

    private let scopeName: String?
    /// Nil once it is over.
    private let continuations = Guarded<[CheckedContinuation<Void, Never>]?>([])

    init(of scope: EnvironmentScope) { scopeName = scope.name }

    override var advice: String { "let no cleanup close a scope whose own cleanups close this one." }

    override var name: String { "the closing of \(EnvironmentScope.display(scopeName))" }

    /// Waits for the end, unless the caller's own run is waited for by this one; then it returns the error of the circle.
    nonisolated(nonsending) func wait() async -> ScopeError? {
        let waiting: [Run]
        do throws(ScopeError) { waiting = try isAwaited() } catch { return error }
        defer { endWait(of: waiting) }
        await withCheckedContinuation { continuation in
            let isOver = continuations.withLock { continuations in
                continuations?.append(continuation)
                return continuations == nil
            }
            if isOver { continuation.resume() }
        }
        return nil
    }

    func finish() {
        let ended = continuations.withLock { $0.take() }
        end()
        for continuation in ended ?? [] { continuation.resume() }
    }
}
