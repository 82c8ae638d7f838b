import Dependencies
public import ScopedInjectionTesting
import Testing
import XCTest

/// Gives each test of an XCTest class values of its own.
///
/// Let your classes inherit from it in place of `XCTestCase`. What a class overrides around `super.invokeTest()` nests, as with Swift Testing's traits.
open class DependenciesTestCase: ScopedTestCase {
    /// Invokes the test, with values of its own.
    open override func invokeTest() {
        Overrides.$scope.withValue(.current) { super.invokeTest() }
    }
}

/// Found by its name, so that Dependencies links no test library.
final class TestIssues: IssueTaking {
    static func take(_ message: String, _ place: IssuePlace) {
        if Test.current == nil { XCTFail(message, file: place.filePath, line: place.line) }
        Issue.record(
            Comment(rawValue: message),
            sourceLocation: SourceLocation(
                fileID: "\(place.fileID)",
                filePath: "\(place.filePath)",
                line: Int(place.line),
                column: Int(place.column)
            )
        )
    }
}
