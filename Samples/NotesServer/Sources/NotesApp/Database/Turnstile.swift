import Synchronization

/// Lets one task through at a time, in the order of their coming; those who wait do not block a thread.
final class Turnstile: Sendable {
    private struct State {
        var isTaken = false
        var lastTicket = 0
        /// In the order of their tickets.
        var waiting: [(ticket: Int, continuation: CheckedContinuation<Void, any Error>)] = []
        /// Those cancelled before they came to wait.
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    /// Waits for its turn, which lasts until ``leave()``.
    ///
    /// - Throws: `CancellationError` where the task is cancelled while it waits; it then has no turn
    func take() async throws {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.remove(ticket) != nil { return .failure(CancellationError()) }
                    guard state.isTaken else {
                        state.isTaken = true
                        return .success(())
                    }
                    state.waiting.append((ticket, continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            cancel(ticket)
        }
        // Cancelled when it had its turn already: the mark is nobody's any more.
        state.withLock { _ = $0.cancelled.remove(ticket) }
    }

    /// Ends the turn, which goes to who has waited longest.
    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.isTaken = false
            return nil
        }
        next?.resume()
    }

    private func cancel(_ ticket: Int) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else {
                state.cancelled.insert(ticket)
                return nil
            }
            return state.waiting.remove(at: index).continuation
        }
        continuation?.resume(throwing: CancellationError())
    }
}
