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

/// Runs a callback on a queue, as code does that knows nothing of tasks, and gives what it gives.
func onQueue<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: body()) }
    }
}

/// Takes what the library reports of each case of a test, and what the case throws, and judges it when the case is over.
///
/// It stands before the scope traits. Nothing of it is printed, and expectations that fail in the case go on failing it.
struct RecordingTrait: TestTrait, SuiteTrait, TestScoping {
    /// Where the issues go; nil for a place that each case has for itself.
    let place: Box<[RecordedIssue]>?
    let judge: @Sendable ([RecordedIssue]) throws -> Void

    var isRecursive: Bool { true }

    @concurrent
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let issues = place ?? Box([])
        let reporter = ScopeIssue.Reporter { issue in issues.update { $0.append(RecordedIssue(issue)) } }
        do { try await ScopeIssue.$reporter.withValue(reporter) { try await function() } } catch {
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
    /// The test that Swift Testing knew where the issue was recorded.
    let knownTest = Test.current

    /// The forgotten value.
    var value: String? {
        guard text.contains(" was not set, ") else { return nil }
        return text.prefix { $0 != " " }.description
    }

    init(_ issue: ScopeIssue) {
        text = issue.text
        isFailure = issue.isFailure
        fileID = issue.location.fileID
        line = issue.location.line
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
    static func issues(
        to place: Box<[RecordedIssue]>? = nil,
        _ judge: @escaping @Sendable ([RecordedIssue]) throws -> Void = { _ in }
    ) -> RecordingTrait { RecordingTrait(place: place, judge: judge) }

    /// Fails if a case records any issue, a warning included.
    static var withoutIssues: RecordingTrait { .issues { issues in #expect(issues.map(\.text) == []) } }
}
