/// One run of cleanups of a scope, for those who wait for its end.
final class CleanupRun: Run, @unchecked Sendable {
    // Sendable because its own state is guarded.

    private struct State: Sendable {
        var isOver = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let scopeName: String?
    private let state = Guarded(State())

    init(of scope: EnvironmentScope) { scopeName = scope.name }

    override var advice: String { "let no cleanup close a scope whose own cleanups close this one." }

    override var name: String { "the closing of \(EnvironmentScope.display(scopeName))" }

    /// Waits for the end, unless the caller's own run is waited for by this one; then it returns the error of the circle.
    nonisolated(nonsending) func wait() async -> ScopeError? {
        let waiting: [Run]
        do throws(ScopeError) { waiting = try isAwaited() } catch { return error }
        defer { endWait(of: waiting) }
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiting.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume() }
        }
        return nil
    }

    func finish() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [] }
            return state.waiting
        }
        end()
        for continuation in waiting { continuation.resume() }
    }
}
