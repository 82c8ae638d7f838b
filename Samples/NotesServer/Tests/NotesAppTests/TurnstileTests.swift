import Synchronization
import Testing

@testable import NotesApp

@Suite struct TurnstileTests {
    /// How many are inside.
    private final class Inside: Sendable {
        let count = Mutex(0)
    }

    @Test func oneGoesThroughAtATime() async throws {
        let turnstile = Turnstile()
        let inside = Inside()
        try await withThrowingTaskGroup { group in
            for _ in 0..<500 {
                group.addTask {
                    try await turnstile.take()
                    #expect(
                        inside.count.withLock {
                            $0 += 1; return $0
                        } == 1
                    )
                    await Task.yield()
                    #expect(
                        inside.count.withLock {
                            $0 -= 1; return $0
                        } == 0
                    )
                    turnstile.leave()
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func whoIsCancelledHasNoTurn() async throws {
        let turnstile = Turnstile()
        try await turnstile.take()
        let waiting = Task { try await turnstile.take() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        turnstile.leave()
        try await turnstile.take()
        turnstile.leave()
    }

    @Test func manyWhoAreCancelledLeaveNothingBehind() async throws {
        let turnstile = Turnstile()
        await withTaskGroup { group in
            for number in 0..<500 {
                let task = Task {
                    try await turnstile.take()
                    await Task.yield()
                    turnstile.leave()
                }
                if number.isMultiple(of: 2) { group.addTask { task.cancel() } }
                group.addTask { _ = await task.result }
            }
        }
        try await turnstile.take()
        turnstile.leave()
    }
}
