import ScopedInjection
import ScopedInjectionTesting
import Synchronization
import XCTest

// ⟨ScopedTestCase.swift: final class NoteXCTests⟩

/// Has no class of the library, and is told what it forgot all the same.
final class ForgottenValueTests: XCTestCase {
    private let failures = Mutex<[String]>([])

    private func isExpected(_ text: String) -> Bool {
        failures.withLock { $0.append(text) }
        return text.contains("limit (Int) was read in")
    }

    #if canImport(Darwin)
        override func record(_ issue: XCTIssue) {
            if !isExpected(issue.compactDescription) { super.record(issue) }
        }
    #else
        override func recordFailure(
            withDescription description: String,
            inFile path: String,
            atLine line: Int,
            expected: Bool
        ) {
            if isExpected(description) { return }
            super.recordFailure(withDescription: description, inFile: path, atLine: line, expected: expected)
        }
    #endif

    func testForgottenValueFailsTheTest() {
        XCTAssertEqual(failures.withLock { $0 }, [])
        XCTAssertEqual(EnvironmentScope.current.limit, 100)
        XCTAssertEqual(failures.withLock(\.count), 1)
    }
}
