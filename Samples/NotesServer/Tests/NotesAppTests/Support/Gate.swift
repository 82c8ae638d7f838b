import Synchronization

/// Lets tasks wait for something to happen, once.
///
/// Waiting ends with an error where the waiting task is cancelled, so that a test that goes wrong does not hang.
final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let isOpen = Mutex(false)

    init() { (stream, continuation) = AsyncStream.makeStream() }

    /// Lets who waits go on, and everybody after.
    func open() {
        isOpen.withLock { $0 = true }
        continuation.finish()
    }

    /// Waits until the gate is open.
    func wait() async throws {
        for await _ in stream {}
        if !isOpen.withLock({ $0 }) { throw CancellationError() }
    }
}
