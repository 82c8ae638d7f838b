import ScopedInjection
package import Testing

/// What a test, or the run, is told of.
package struct ScopeIssue: Sendable {
    package let text: String
    package let isFailure: Bool
    /// The test whose issue it is; nil where none is known.
    package let test: Test?
    package let location: SourceLocation
    /// The place as literals, for functions that take no others; nil where it is no line of a file.
    let place: ScopeError.Location?

    /// Takes issues.
    ///
    /// A class, because Swift 6.3 crashes in release builds where the value of a task-local is a function.
    package final class Reporter: Sendable {
        let take: @Sendable (ScopeIssue) -> Void
        package init(_ take: @escaping @Sendable (ScopeIssue) -> Void) { self.take = take }
    }

    /// Takes the issues of the cases that start here.
    ///
    /// The library's own tests set one that checks them.
    @TaskLocal package static var reporter = Reporter { $0.record() }

    /// - Parameter other: The place where the first one is no line of a file.
    init(
        _ lines: [String],
        of test: Test?,
        at place: ScopeError.Location?,
        near other: SourceLocation?,
        isFailure: Bool
    ) {
        text = lines.joined(separator: "\n")
        self.test = test
        self.place = place
        location = SourceLocation(place, near: other ?? Self.unknown)
        self.isFailure = isFailure
    }

    private static let unknown = SourceLocation(fileID: "global/scope", filePath: "global/scope", line: 1, column: 1)

    private func record() {
        let ofOther = test.flatMap { $0 == Test.current ? nil : "\n  Test: \($0.title)" } ?? ""
        let comment = Comment(rawValue: text + ofOther)
        #if compiler(>=6.3)
            Issue.record(comment, severity: isFailure ? .error : .warning, sourceLocation: location)
        #else
            // Before 6.3 an issue is always a failure.
            if isFailure { Issue.record(comment, sourceLocation: location) } else { print("warning: \(comment)") }
        #endif
    }
}

extension Test {
    /// What texts call the test.
    var title: String { displayName ?? name }
}

extension SourceLocation {
    init(_ place: ScopeError.Location) {
        self.init(fileID: place.fileID, filePath: place.fileID, line: max(1, Int(place.line)), column: 1)
    }

    /// The place of a reference in the form that an issue needs; where it is no line of a file, that of the test.
    init(_ place: ScopeError.Location?, near other: SourceLocation) {
        guard let place, place.line > 0, place.fileID.contains("/") else {
            self = other
            return
        }
        self.init(
            fileID: place.fileID,
            filePath: other.fileID == place.fileID ? other.filePath : place.fileID,
            line: Int(place.line),
            column: 1
        )
    }
}
