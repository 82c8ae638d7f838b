import Dispatch
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

/// Takes the issues of each case of a test, and judges them when the case is over.
///
/// It stands before the scope traits, so that it sees what they record.
struct RecordingTrait: TestTrait, SuiteTrait, TestScoping {
    let judge: @Sendable ([RecordedIssue]) throws -> Void

    var isRecursive: Bool { true }

    @concurrent
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let issues = Box<[RecordedIssue]>([])
        try await withKnownIssue(isIntermittent: true) {
            try await function()
        } matching: { issue in
            let test = Test.current
            issues.update { $0.append(RecordedIssue(issue, of: test)) }
            return true
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

    init(_ issue: Issue, of test: Test?) {
        text = issue.comments.map(\.rawValue).joined(separator: "\n")
        isFailure = issue.severity >= .error
        fileID = issue.sourceLocation?.fileID
        line = issue.sourceLocation?.line
        error = issue.error
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
