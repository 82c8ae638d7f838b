import Logging
import ScopedInjection
import ServiceLifecycle
import Synchronization
import Testing
import UnixSignals

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What has happened, in order.
private final class Journal: Sendable {
    private let content = Mutex<[String]>([])
    var lines: [String] { content.withLock { $0 } }
    func write(_ line: String) { content.withLock { $0.append(line) } }
}

private actor Pool {
    private let journal: Journal
    private var isOpen = true

    init(_ journal: Journal) { self.journal = journal }

    func mark(_ job: String) { journal.write(isOpen ? "\(job) done" : "\(job) LOST") }

    func close() {
        isOpen = false
        journal.write("pool closed")
    }
}

extension ScopeValues {
    fileprivate static var journal: ScopeValue<Journal> { .required() }
    fileprivate static var log: ScopeValue<Logger> { .value(Logger(label: "app") { _ in SwiftLogNoOpLogHandler() }) }
    fileprivate static var end: ScopeValue<End> { .required() }
    fileprivate static var running: ScopeValue<AsyncStream<Void>.Continuation> { .required() }
    fileprivate static var pool: ScopeValue<Pool> {
        .lazy {
            let pool = Pool(try $0.journal)
            $0.onClose { await pool.close() }
            return pool
        }
    }
}

/// The ways in which a group ends.
private enum End: CaseIterable, Sendable { case signal, failure, returns, cancelled }

/// Takes a job, and marks it as done when it is told to stop.
private struct Worker: Service {
    private let pool: Pool
    private let running: AsyncStream<Void>.Continuation

    init(_ app: EnvironmentScope) { (pool, running) = (app.pool, app.running) }

    func run() async throws {
        running.yield()
        let ends = AsyncStream<Never>.makeStream()
        await withGracefulShutdownHandler {
            await withTaskCancellationHandler {
                for await _ in ends.stream {}
            } onCancel: {
                ends.continuation.finish()
            }
        } onGracefulShutdown: {
            ends.continuation.finish()
        }
        // What is under way is finished, though the task is cancelled.
        await Task { await pool.mark("job") }.value
    }
}

private struct Server: Service {
    struct Failure: Error {}
    private let end: End

    init(_ app: EnvironmentScope) { end = app.end }

    func run() async throws {
        switch end {
        case .failure: throw Failure()
        case .returns: return
        case .signal, .cancelled: try? await gracefulShutdown()
        }
    }
}

private func serve(_ configure: @Sendable (EnvironmentScope) -> Void) async throws {
    // ⟨Closing.md 2: try await EnvironmentScope.withScope⟩
}

@Suite("Documentation: startup and shutdown, with ServiceLifecycle", .serialized)
struct LifecyclePage {
    @Test("However a group ends, its services end first, and then the scope", arguments: End.allCases)
    private func ends(_ end: End) async {
        let journal = Journal()
        let running = AsyncStream<Void>.makeStream()
        let serving = Task {
            try await serve {
                $0.journal = journal
                $0.end = end
                $0.running = running.continuation
            }
        }
        for await _ in running.stream { break }
        switch end {
        case .signal: kill(getpid(), SIGTERM)
        case .cancelled: serving.cancel()
        case .failure, .returns: break
        }
        let result = await serving.result
        #expect(journal.lines == ["job done", "pool closed"])
        if end == .failure { #expect(throws: Server.Failure.self) { try result.get() } }
        if end == .signal { #expect(throws: Never.self) { try result.get() } }
    }
}
