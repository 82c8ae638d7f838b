import ScopedInjection
import Testing

@Suite("Documentation: startup and shutdown")
struct ClosingPage {
    @Test("Observers are told what hangs")
    func stop() async {
        let (app, logger) = (EnvironmentScope.empty("app", parent: nil), Logger())
        // ⟨Closing.md: app.observe⟩
        let mayEnd = AsyncStream<Never>.makeStream()
        app.onClose { for await _ in mayEnd.stream {} }
        await app.close(within: .milliseconds(10))
        #expect(logger.lines.value.count == 1)
        mayEnd.continuation.finish()
    }
}
