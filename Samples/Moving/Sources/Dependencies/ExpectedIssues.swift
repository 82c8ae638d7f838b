// Issues that a body is expected to report, in Swift Testing and in XCTest, which has nothing of the kind on Linux.

/// Takes the issues that are reported where they are expected.
final class ExpectedIssues: Sendable {
    @TaskLocal static var current: ExpectedIssues?

    private let texts = LockIsolated<[String]>([])

    func take(_ text: String) { texts.withValue { $0.append(text) } }

    var isEmpty: Bool { texts.value.isEmpty }
}

/// Expects that a body reports an issue, or throws; it is an issue if it does not, unless it is intermittent.
public func withExpectedIssue(
    _ message: String? = nil,
    isIntermittent: Bool = false,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
    _ body: () throws -> Void
) {
    let issues = ExpectedIssues()
    do { try ExpectedIssues.$current.withValue(issues) { try body() } } catch { issues.take("\(error)") }
    guard issues.isEmpty, !isIntermittent else { return }
    reportIssue(message ?? noneReported, fileID: fileID, filePath: filePath, line: line, column: column)
}

/// Expects that an asynchronous body reports an issue, or throws; it is an issue if it does not, unless it is intermittent.
public func withExpectedIssue(
    _ message: String? = nil,
    isIntermittent: Bool = false,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
    _ body: () async throws -> Void
) async {
    let issues = ExpectedIssues()
    do { try await ExpectedIssues.$current.withValue(issues) { try await body() } } catch { issues.take("\(error)") }
    guard issues.isEmpty, !isIntermittent else { return }
    reportIssue(message ?? noneReported, fileID: fileID, filePath: filePath, line: line, column: column)
}

private let noneReported = "An expected issue was not reported."
