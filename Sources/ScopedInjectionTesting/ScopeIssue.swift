import ScopedInjection
package import Testing

/// An issue of a test, or of the run.
package struct ScopeIssue: Sendable {
    package let text: String
    package let isFailure: Bool
    /// The test whose issue it is; nil for the run.
    package let test: Test?
    package let location: SourceLocation?

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

    /// - Parameters:
    ///   - location: Where the reference stands that was read; nil for the line of the test.
    init(_ lines: [String], of test: Test?, at location: ScopeError.Location?, isFailure: Bool) {
        let place = location.flatMap { Self.sourceLocation(of: $0, in: test) } ?? test?.sourceLocation
        self.init(lines, of: test, at: place, isFailure: isFailure)
    }

    init(_ lines: [String], of test: Test?, at location: SourceLocation?, isFailure: Bool = true) {
        var lines = lines
        if let test, Test.current != test { lines.append("  Test: \(test.displayName ?? test.name)") }
        text = lines.joined(separator: "\n")
        self.isFailure = isFailure
        self.test = test
        self.location = location
    }

    private func record() {
        let comment = Comment(rawValue: text)
        let location = location ?? #_sourceLocation
        #if compiler(>=6.3)
            Issue.record(comment, severity: isFailure ? .error : .warning, sourceLocation: location)
        #else
            // Before 6.3 an issue is always a failure.
            if isFailure { Issue.record(comment, sourceLocation: location) } else { print("warning: \(comment)") }
        #endif
    }

    /// The place in the form that an issue needs; nil where it is no line of a file.
    private static func sourceLocation(of location: ScopeError.Location, in test: Test?) -> SourceLocation? {
        guard location.line > 0, location.fileID.contains("/") else { return nil }
        let inFileOfTest = test.flatMap { $0.sourceLocation.fileID == location.fileID ? $0.sourceLocation : nil }
        return SourceLocation(
            fileID: location.fileID,
            filePath: inFileOfTest?.filePath ?? location.fileID,
            line: Int(location.line),
            column: 1
        )
    }
}
