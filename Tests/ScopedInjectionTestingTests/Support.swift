import Dispatch
import ScopedInjectionTesting
import Synchronization
import Testing

/// A value that tests share between tasks and threads.
final class Box<Value: Sendable>: Sendable {
    private let content: Mutex<Value>
    // On Linux the thread sanitizer does not see the mutex; this it sees.
    private let handover = Atomic(false)

    init(_ value: Value) { content = Mutex(value) }
    var value: Value { update { $0 } }

    @discardableResult
    func update<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        content.withLock { value in
            _ = handover.load(ordering: .acquiring)
            defer { handover.store(true, ordering: .releasing) }
            return body(&value)
        }
    }
}

/// Opens once, for all who wait.
final class Gate: Sendable {
    private let stream = AsyncStream<Never>.makeStream()
    func open() { stream.continuation.finish() }
    func wait() async { for await _ in stream.stream {} }
}

/// Holds up each thread that attends until all have come.
final class Meeting: Sendable {
    private let missing: Box<Int>
    private let begins = DispatchSemaphore(value: 0)

    init(of count: Int) { missing = Box(count) }

    func attend() {
        let isLast = missing.update { missing in
            missing -= 1
            return missing == 0
        }
        if !isLast { begins.wait() }
        begins.signal()
    }
}

/// Runs a callback on a queue, as code does that knows nothing of tasks, and gives what it gives.
func onQueue<Result: Sendable>(
    _ body: @escaping @Sendable () -> Result,
    on queue: DispatchQueue = .global()
) async -> Result {
    await withCheckedContinuation { continuation in
        queue.async { continuation.resume(returning: body()) }
    }
}

/// Takes what the library reports of each case of a test, and what the case throws, and judges it when the case is over.
///
/// It stands before the scope traits. Nothing of it is printed, and expectations that fail in the case go on failing it.
struct RecordingTrait: TestTrait, SuiteTrait, TestScoping {
    let judge: @Sendable ([RecordedIssue]) throws -> Void

    var isRecursive: Bool { true }

    @concurrent
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let issues = Box<[RecordedIssue]>([])
        do {
            // An issue of the run is about threads of other tests that run at the same time.
            let reporter = ScopeIssue.Reporter { issue in
                if issue.test != nil { issues.update { $0.append(RecordedIssue(issue)) } }
            }
            try await ScopeIssue.$reporter.withValue(reporter) { try await function() }
        } catch {
            issues.update { $0.append(RecordedIssue(error, of: test)) }
        }
        try judge(issues.value)
    }
}

struct RecordedIssue: Sendable {
    let text: String
    let isFailure: Bool
    let fileID: String?
    let line: Int?
    let error: (any Error)?
    let test: Test?

    /// The value that could not be had.
    var value: String? {
        guard text.hasPrefix("No value for ") else { return nil }
        return text.dropFirst(13).prefix { $0 != " " }.description
    }

    init(_ issue: ScopeIssue) {
        text = issue.text
        isFailure = issue.isFailure
        fileID = issue.location?.fileID
        line = issue.location?.line
        error = nil
        test = issue.test
    }

    init(_ error: any Error, of test: Test) {
        text = ""
        isFailure = true
        fileID = nil
        line = nil
        self.error = error
        self.test = test
    }
}

extension Trait where Self == RecordingTrait {
    /// Judges the issues of each case, which are no longer issues then.
    static func issues(_ judge: @escaping @Sendable ([RecordedIssue]) throws -> Void) -> RecordingTrait {
        RecordingTrait(judge: judge)
    }

    /// Fails if a case records any issue, a warning included.
    static var withoutIssues: RecordingTrait { .issues { issues in #expect(issues.map(\.text) == []) } }
}
