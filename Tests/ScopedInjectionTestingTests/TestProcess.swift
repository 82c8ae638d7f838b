import Foundation
import Testing

/// A test process of its own, for tests that are to fail: what they record is read from its event stream.
///
/// Tests that run there only have the trait `.inProcessOfItsOwn`.
struct TestProcess: Sendable {
    /// An issue that the process recorded.
    struct Issue: Sendable, Equatable {
        /// The name of the test; nil where the issue is the run's.
        let test: String?
        let fileID: String?
        let line: Int?
        let isFailure: Bool
        let text: String
    }

    let issues: [Issue]
    /// The names of the tests that ended, each as often as it ended.
    let endedTests: [String]
    let caseCount: Int
    let didFail: Bool
    /// What it printed.
    let output: String

    private static let mark = "SCOPED_INJECTION_TEST_PROCESS"

    /// Whether this is such a process.
    static var isCurrent: Bool { ProcessInfo.processInfo.environment[mark] != nil }

    /// Runs the tests whose identifiers match a pattern.
    init(running pattern: String) async throws {
        let stream = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).jsonl")
        defer { try? FileManager.default.removeItem(at: stream) }
        let process = Process()
        process.executableURL = URL(filePath: try Self.executable)
        process.arguments =
            Self.bundleArguments + [
                "--testing-library", "swift-testing", "--filter", pattern, "--event-stream-version", Self.streamVersion,
                "--event-stream-output-path", stream.path,
            ]
        // Not with a backtrace of the process that ends: it takes seconds, and with a sanitizer it may hang.
        let ours = [Self.mark: "1", "SWIFT_BACKTRACE": "enable=no"]
        process.environment = ProcessInfo.processInfo.environment.merging(ours) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        async let printed = Self.contents(of: pipe.fileHandleForReading)
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in ended.resume() }
            do { try process.run() } catch { ended.resume(throwing: error) }
            try? pipe.fileHandleForWriting.close()
        }
        // Does not wait any more. On Linux it lets go of a run-loop source that refers to the process, which leaks otherwise.
        process.waitUntilExit()
        didFail = process.terminationStatus != 0 || process.terminationReason != .exit
        output = await printed
        let lines = try String(contentsOf: stream, encoding: .utf8).split(separator: "\n")
        let events = try lines.map { try JSONDecoder().decode(Record.self, from: Data($0.utf8)) }.map(\.payload)
        issues = events.filter { $0.kind == "issueRecorded" }.map(Issue.init)
        endedTests = events.filter { $0.kind == "testEnded" }.compactMap(\.testName).filter { $0.hasSuffix(")") }
        caseCount = events.count { $0.kind == "testCaseEnded" }
    }

    private static func contents(of file: FileHandle) async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "output").async {
                let data = (try? file.readToEnd()) ?? Data()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }

    private static var executable: String {
        get throws { try #require(CommandLine.arguments.first.map { URL(filePath: $0).path }) }
    }

    /// Version 0 has no warnings.
    private static var streamVersion: String {
        #if compiler(>=6.3)
            "6.3"
        #else
            "0"
        #endif
    }

    /// What leads to the tests where the executable does not have them itself.
    private static var bundleArguments: [String] {
        let arguments = CommandLine.arguments
        guard let index = arguments.firstIndex(of: "--test-bundle-path"), index + 1 < arguments.count else { return [] }
        return [arguments[index], arguments[index + 1]]
    }
}

extension TestProcess {
    /// A line of the event stream; see Swift Testing's JSON schema.
    fileprivate struct Record: Decodable { let payload: Event }

    fileprivate struct Event: Decodable {
        struct IssueRecord: Decodable {
            let sourceLocation: Location?
            let isFailure: Bool?
        }
        struct Location: Decodable {
            let fileID: String?
            let line: Int?
        }
        struct Message: Decodable { let text: String }

        let kind: String?
        let testID: String?
        let issue: IssueRecord?
        let messages: [Message]?

        /// The last part of the identifier that is no place in the source.
        var testName: String? { testID?.split(separator: "/").last { !$0.contains(".swift:") }.map(String.init) }
    }
}

extension TestProcess.Issue {
    fileprivate init(_ event: TestProcess.Event) {
        test = event.testName
        fileID = event.issue?.sourceLocation?.fileID
        line = event.issue?.sourceLocation?.line
        isFailure = event.issue?.isFailure ?? true
        text = (event.messages ?? []).map(\.text).joined(separator: "\n")
    }
}

extension Task<TestProcess, any Error> {
    /// The issues of a test in the process; nil for those of the run.
    func issues(of test: String?) async throws -> [TestProcess.Issue] {
        try await value.issues.filter { $0.test == test }
    }
}

extension Trait where Self == ConditionTrait {
    /// Runs the tests only in a process that another test starts, because they are to fail.
    static var inProcessOfItsOwn: Self {
        .enabled(if: TestProcess.isCurrent, "Another test runs this one in a process of its own.")
    }
}
